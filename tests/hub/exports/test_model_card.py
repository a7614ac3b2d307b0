"""A model card: its metadata read back by the library, its section by eye and by hand."""

from __future__ import annotations

import html as entities
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from huggingface_hub import ModelCard
from markdown_it import MarkdownIt

from scopebench.errors import DataError
from scopebench.hub.exports import ExportOptions, Rendered, render, write
from scopebench.hub.exports.model_card import escape, render_run
from scopebench.hub.exports.repeat import score_command
from scopebench.hub.exports.runs import ScoredRun

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False}).enable("table")


def test_metadata_comes_back_as_the_same_results(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run({"scope_accuracy": (0.75, 0.5, 1.0), "auroc": (None, None, None)})
    options = ExportOptions(dataset_id="org/made", dataset_revision="ab" * 20)
    card = ModelCard(render_run(run, options).files[""])
    results = {result.metric_type: result for result in card.data.eval_results}
    assert card.data.model_name == "toy"
    assert "auroc" not in results
    found = results["scope_accuracy"]
    assert (found.metric_value, found.dataset_type, found.dataset_split) == (
        75.0,
        "org/made",
        "curated",
    )
    assert found.dataset_revision == "ab" * 20
    assert found.metric_args["protocol_id"] == "p0"
    assert (found.metric_args["low"], found.metric_args["high"]) == (50.0, 100.0)


def test_the_section_shows_intervals_reasons_and_how_to_repeat(
    made_run: Callable[..., ScoredRun],
) -> None:
    run = made_run(
        {"scope_accuracy": (0.75, 0.5, 1.0), "auroc": (None, None, None)},
        undefined={"auroc": "no scores"},
        params={"threshold": 0.7, "seed": 0},
    )
    text = render_run(run, ExportOptions()).files[""]
    assert "| scope accuracy (%) | 75.00 | 50.00 to 100.00 | higher | by hand |" in text
    assert "| AUROC of the scope score (%) | – | – | higher | no scores |" in text
    assert "| protocol id | p0 |" in text
    assert (
        "scopebench score --editor inlay --benchmark BENCHMARK --model toy --dtype float32 "
        "--seed 0 --param threshold=0.7 --out RUN\n"
    ) in text


def test_a_real_run_makes_a_card(folders: dict[str, Path]) -> None:
    rendered = render("model-card", [folders["inlay"]], ExportOptions(population="withheld"))
    results = ModelCard(rendered.files[""]).data.eval_results
    assert {"headroom", "scope_accuracy", "miss"} <= {result.metric_type for result in results}


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>",
        "a | b | c",
        "[x](javascript:alert(1))",
        "`code` **bold** $x$",
        "https://example.org/x www.example.org a@example.org",
        "line\n\n# head",
        "&lt;b&gt;",
    ],
)
def test_names_are_shown_as_they_stand(made_run: Callable[..., ScoredRun], name: str) -> None:
    shown = " ".join(name.split())
    # What a reader sees of a paragraph and of a cell.
    html = MARKDOWN.render(f"An {escape(name)} here")
    assert re.sub(r"<[^>]*>", "", html).count("<") == 0
    inner = re.fullmatch(r"<p>An (.*) here</p>\n", html)
    assert inner is not None
    assert "<" not in inner[1]
    assert not re.search(r"[:@]|www\.", escape(name))  # what the Hub would make a link of
    assert entities.unescape(inner[1]) == shown
    text = render_run(made_run(editor=name), ExportOptions()).files[""]
    table = MARKDOWN.render(text.split("---\n", 2)[2])
    assert table.count("<table>") == 2
    assert "<img" not in table and "<h1>" not in table and "<a " not in table


def test_the_command_is_one_line_that_a_shell_reads(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run(editor="x; rm -rf /\n```", params={"a": "b c", "n": [1, 2]})
    command = score_command(run.result)
    words = shlex.split(command)
    assert "\n" not in command
    assert words[words.index("--editor") + 1] == "x; rm -rf / ```"
    assert words[words.index("--param") + 1] == "a=b c"
    assert "n=[1, 2]" in words


def test_somebody_elses_readme_is_not_overwritten(
    tmp_path: Path, made_run: Callable[..., ScoredRun]
) -> None:
    out = tmp_path / "README.md"
    out.write_text("# My model\n")
    card = render_run(made_run(), ExportOptions())
    with pytest.raises(DataError, match="was not written by `scopebench export`"):
        write(card, out)
    assert out.read_text() == "# My model\n"
    out.unlink()
    write(card, out)
    write(card, out)
    assert out.read_text() == card.files[""]


def test_nothing_is_written_where_one_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(DataError):
        write(Rendered({"README.md": "a", "A.md": "b"}), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
