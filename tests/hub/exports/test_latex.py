"""A LaTeX table: escaped, bold only where it may be, and compiled where LaTeX is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.hub.exports import ExportOptions, render
from scopebench.hub.exports.latex import COLUMNS, escape, render_runs
from scopebench.hub.exports.runs import ScoredRun

Maker = Callable[..., ScoredRun]


def body(table: str) -> list[list[str]]:
    """Return the cells of the rows between \\midrule and \\bottomrule."""
    inner = table.split("\\midrule\n")[1].split("\\bottomrule")[0]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        for line in inner.strip().split("\n")
    ]


def table_of(*runs: ScoredRun) -> str:
    return render_runs(runs, ExportOptions()).files[""]


def test_a_table_by_hand(made_run: Maker) -> None:
    good = made_run(
        {
            "headroom": (0.25, 0.2, 0.3),
            "gain": (0.125, 0.05, 0.2),
            "scope_accuracy": (0.95, 0.9, 1.0),
            "false_fire": (0.1, 0.05, 0.15),
            "miss": (0.0, 0.0, 0.3),
            "auroc": (0.9, 0.8, 0.95),
        },
        editor="good",
    )
    poor = made_run(
        {
            "headroom": (0.5, 0.4, 0.6),
            "gain": (-0.05, -0.1, 0.0),
            "scope_accuracy": (0.5, 0.4, 0.6),
            "false_fire": (0.5, 0.4, 0.6),
            "miss": (0.2, 0.1, 0.4),
            "auroc": (None, None, None),
        },
        editor="poor",
        undefined={"auroc": "no scores"},
    )
    table = table_of(good, poor)
    assert body(table) == [
        [
            "good",
            r"$+25.0_{\,[+20.0,\,+30.0]}$",
            r"$\mathbf{+12.5}_{\,[+5.0,\,+20.0]}$",
            r"$\mathbf{95.0}_{\,[90.0,\,100.0]}$",
            r"$\mathbf{10.0}_{\,[5.0,\,15.0]}$",
            r"$0.0_{\,[0.0,\,30.0]}$",
            r"$90.0_{\,[80.0,\,95.0]}$",
        ],
        [
            "poor",
            r"$+50.0_{\,[+40.0,\,+60.0]}$",
            r"$-5.0_{\,[-10.0,\,0.0]}$",
            r"$50.0_{\,[40.0,\,60.0]}$",
            r"$50.0_{\,[40.0,\,60.0]}$",
            r"$20.0_{\,[10.0,\,40.0]}$",
            "--",
        ],
    ]
    assert "% poor, auroc: no scores\n" in table
    assert r"Protocol \texttt{p0}" in table


def test_one_run_is_never_bold(made_run: Maker) -> None:
    table = table_of(made_run())
    assert "mathbf" not in table
    assert "Bold" not in table


def test_a_limited_run_is_marked(made_run: Maker) -> None:
    table = table_of(made_run(editor="whole"), made_run(editor="part", limit=3))
    assert [row[0] for row in body(table)] == ["whole", r"part$^{\dagger}$"]
    assert r"$\dagger$: a limited run" in table
    assert "dagger" not in table_of(made_run())


def test_models_are_named_where_they_differ(made_run: Maker) -> None:
    table = table_of(made_run(editor="a", model="m_1"), made_run(editor="a", model="m_2"))
    assert [row[0] for row in body(table)] == [r"a (m\_1)", r"a (m\_2)"]


def test_escapes_by_hand() -> None:
    assert escape("50% & $1 #2 a_b {c} ~^\\") == (
        r"50\% \& \$1 \#2 a\_b \{c\} \textasciitilde{}\textasciicircum{}\textbackslash{}"
    )


KNOWN = re.compile(r"\\[&%$#_{}]|\\text[a-z]+\{\}")


@given(st.text())
def test_no_text_leaves_a_character_that_latex_acts_on(text: str) -> None:
    shown = escape(text)
    assert not set(KNOWN.sub("", shown)) & set("&%$#_{}~^\\\n\r")


def test_a_hostile_editor_stays_in_its_cell(made_run: Maker) -> None:
    table = table_of(made_run(editor="\\input{/etc/passwd} & x \\\\ \n%"))
    (row,) = body(table)
    assert len(row) == 1 + len(COLUMNS)
    assert "\\input" not in table


def document(table: str) -> str:
    return (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{table}\\end{{document}}\n"
    )


def test_the_structure_of_a_real_table(folders: dict[str, Path]) -> None:
    paths = [folders["inlay"], folders["static"], folders["base"]]
    table = render("latex", paths, ExportOptions()).files[""]
    assert [row[0] for row in body(table)] == ["inlay", "static", "base"]
    assert all(len(row) == 1 + len(COLUMNS) for row in body(table))
    for name in ("table", "tabular"):
        assert table.count(f"\\begin{{{name}}}") == table.count(f"\\end{{{name}}}") == 1
    for rule in ("toprule", "midrule", "bottomrule"):
        assert table.count(f"\\{rule}\n") == 1
    bare = re.sub(r"\\[{}]", "", table)
    assert bare.count("{") == bare.count("}")
    assert re.sub(r"\\\$", "", table).count("$") % 2 == 0


def test_it_compiles(made_run: Maker, tmp_path: Path) -> None:
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("NO LATEX: pdflatex is not installed, the table is not compiled")
    runs = (made_run(editor='a_b & 50% ~^\\{}#$<>|"'), made_run(editor="part", limit=3))
    (tmp_path / "table.tex").write_text(document(table_of(*runs)))
    subprocess.run(
        [latex, "-interaction=nonstopmode", "-halt-on-error", "table.tex"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
