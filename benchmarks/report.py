"""Seconds and memory of a whole report, and of one interval against scipy's bootstrap.

    python benchmarks/report.py [--largest 1000000]

An outcome table as the founding paper's (563 base queries under three conditions, three actions,
5,067 outcomes) and larger ones of the same make, up to one million outcomes, are invented and
written to parquet. For each, in a process of its own: the table is read and every number of the
report computed, with 2,000 resamples, all statics, kinds, strata, policies, mixes and tests. The
smallest table is also written as a run folder, whose texts are matched again under both matchers.

The rival is `scipy.stats.bootstrap` over the clusters' sums, with as many resamples: the time of
one headroom interval by it and by ScopeBench's bootstrap, on the same rows. The exponent says how
the report's time grows with the outcomes. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from scopebench.scoring.stats.bootstrap import cluster_interval, cluster_sums
from scopebench.scoring.summary import read_plain_report, read_reports
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)

PAPER_OUTCOMES = 5067
CONDITIONS = ("structured", "unstructured", "extracted")
KINDS = ("direct", "paraphrase", "same_subject", "near_name")
LIMITS = {PAPER_OUTCOMES: (5.0, None), 1_000_000: (60.0, 2.0)}
"""Seconds and GiB that a size must stay below."""


def invent(outcomes: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return the columns of a table of so many outcomes, one array entry a row (query x condition).

    Clusters hold one to three base queries, each under three conditions, half of them in scope.
    """
    rng = np.random.default_rng(seed)
    base = max(4, outcomes // 9)
    query = np.repeat(np.arange(base), 3)
    inside = (query % 2 == 0) | (rng.random(len(query)) < 0.02)
    kind = np.where(inside, query // 2 % 2, 2 + query // 2 % 2)
    skill = rng.beta(0.5, 0.5, base)[query]
    fire = rng.random(len(query)) < np.where(inside, 0.5 + 0.5 * skill, 0.05)
    abstain = rng.random(len(query)) < np.where(inside, 0.01, 0.4 * skill)
    score = np.round(rng.normal(np.where(inside, 1.0, 0.0), 0.6), 4)
    return {
        "query": query,
        "condition": np.tile(np.arange(3), base),
        "cluster": query // 2,
        "inside": inside,
        "kind": kind,
        "right": np.stack([fire, fire ^ (rng.random(len(query)) < 0.1), abstain], axis=1),
        "score": score,
        "fired": score > 0.5,
        "known": skill > 0.5,
        "dev": query // 2 % 5 == 0,
    }


def write_plain(columns: dict[str, np.ndarray], path: Path) -> None:
    """Write the table as one record per query, condition and action."""
    n = len(columns["query"])
    action = np.tile(np.arange(3), n)
    rows = np.repeat(np.arange(n), 3)
    structured = columns["condition"][rows] == 0
    keep = structured | (action != 0)
    rows, action = rows[keep], action[keep]
    names = np.array(["recite", "reason", "abstain"], dtype=object)
    taken = np.where(columns["fired"], np.where(columns["condition"] == 0, 0, 1), 2)
    fired, inside = columns["fired"][rows], columns["inside"][rows]
    edit = columns["cluster"][rows].astype("U9").astype(object)
    table = pa.table(
        {
            "query_id": columns["query"][rows].astype("U9"),
            "dataset": np.array(["one", "two", "three"], dtype=object)[columns["query"][rows] % 3],
            "condition": np.array(CONDITIONS, dtype=object)[columns["condition"][rows]],
            "population": np.full(len(rows), "curated", dtype=object),
            "kind": np.array(KINDS, dtype=object)[columns["kind"][rows]],
            "cluster": edit,
            "fold": np.where(columns["dev"][rows], "dev", "test").astype(object),
            "action": names[action],
            "correct": columns["right"][rows, action].astype(np.int8),
            "chosen": taken[rows] == action,
            "known": columns["known"][rows],
            "scope_score": columns["score"][rows],
            "runner_up_score": columns["score"][rows] - 0.2,
            "fired_edit": np.where(fired, edit, ""),
            "decision_label": np.where(inside, edit, ""),
        }
    )
    pq.write_table(table, path, compression="zstd")


def write_run(columns: dict[str, np.ndarray], folder: Path) -> None:
    """Write the table as the two tables of a run folder."""
    write_table(list(_outcomes(columns)), OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)
    write_table(list(_decisions(columns)), DECISIONS_SCHEMA, folder / DECISIONS_FILE)


def _outcomes(columns: dict[str, np.ndarray]) -> Iterator[dict[str, object]]:
    for i, query in enumerate(columns["query"]):
        for at, action in enumerate(("recite", "reason", "abstain")):
            legal = at != 0 or columns["condition"][i] == 0
            right = bool(columns["right"][i, at])
            text = f"It was Town {query} ." if right else f"Nobody knows place {i % 97}."
            yield {
                "query_id": str(query),
                "condition": CONDITIONS[columns["condition"][i]],
                "action": action,
                "draw": 0,
                "legal": legal,
                "text": text if legal else None,
                "correct": right if legal else None,
                "correct_paper": right if legal else None,
                "refused": False if legal else None,
                "edit_id": None,
            }


def _decisions(columns: dict[str, np.ndarray]) -> Iterator[dict[str, object]]:
    for i, query in enumerate(columns["query"]):
        condition = CONDITIONS[columns["condition"][i]]
        fires = "recite" if condition == "structured" else "reason"
        edit = str(columns["cluster"][i])
        yield {
            "query_id": str(query),
            "dataset": ("one", "two", "three")[query % 3],
            "condition": condition,
            "population": "curated",
            "kind": KINDS[columns["kind"][i]],
            "question": f"In which town was clerk {query} born?",
            "answers": [f"Town {query}"],
            "pre_edit_answers": [f"Town {query}"] if columns["known"][i] else None,
            "governing_edit_ids": [edit] if columns["inside"][i] else [],
            "hidden_edit_ids": [],
            "near_edit_id": None,
            "subject_match": bool(columns["inside"][i]),
            "template_match": True,
            "cluster": edit,
            "fold": "dev" if columns["dev"][i] else "test",
            "action": fires if columns["fired"][i] else "abstain",
            "edit_id": edit,
            "card_question": None,
            "card_answer": None,
            "scope_score": float(columns["score"][i]),
            "runner_up_score": float(columns["score"][i]) - 0.2,
            "candidates": [],
        }


def measure(path: Path) -> None:
    """Read a table and compute its report; print seconds and peak memory as JSON."""
    begun = time.perf_counter()
    report = read_reports(path)[0] if path.is_dir() else read_plain_report(path)
    seconds = time.perf_counter() - begun
    intervals = report.model_dump_json().count('"low"')
    print(
        json.dumps(
            {
                "seconds": seconds,
                "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
                "headroom": report.pooled[0].headroom.value,
                "intervals": intervals,
            }
        )
    )


def measured(path: Path) -> dict[str, float]:
    """Measure in a process of its own, imports included."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--measure", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return {**found, "wall": time.perf_counter() - begun}


def rivals(columns: dict[str, np.ndarray], resamples: int = 2000) -> tuple[float, float]:
    """Return the seconds of one headroom interval, by ScopeBench and by scipy."""
    from scipy.stats import bootstrap

    won = columns["right"].astype(np.float64)
    won[columns["condition"] != 0, 0] = 0.0
    fixed = np.where(columns["condition"] == 0, won[:, 0], won[:, 1])
    gains = won.max(axis=1) - fixed
    table = np.column_stack([gains, np.ones(len(gains))])
    begun = time.perf_counter()
    ours = cluster_interval(gains, columns["cluster"], n_resamples=resamples)
    seconds = time.perf_counter() - begun
    begun = time.perf_counter()
    sums, _ = cluster_sums(table, columns["cluster"])
    theirs = bootstrap(
        (sums[:, 0], sums[:, 1]),
        lambda gains, rows, axis: gains.sum(axis=axis) / rows.sum(axis=axis),
        paired=True,
        n_resamples=resamples,
        method="percentile",
        batch=max(1, 20_000_000 // len(sums)),
        rng=np.random.default_rng(0),
    ).confidence_interval
    scipy_seconds = time.perf_counter() - begun
    width = theirs.high - theirs.low
    assert ours.low is not None
    assert ours.high is not None
    assert abs(ours.low - theirs.low) < 0.2 * width
    assert abs(ours.high - theirs.high) < 0.2 * width
    return seconds, scipy_seconds


def main() -> None:
    """Measure every size, and print a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        measure(options.measure)
        return
    sizes = [n for n in (PAPER_OUTCOMES, 50_000, 250_000, 1_000_000) if n <= options.largest]
    rows, kept = [], True
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            columns = invent(size)
            path = Path(folder) / f"{size}.parquet"
            write_plain(columns, path)
            rows.append((f"{size:,}", size, measured(path), *rivals(columns)))
        run = Path(folder) / "run"
        run.mkdir()
        write_run(invent(PAPER_OUTCOMES), run)
        as_run = measured(run)
    print(
        f"{'outcomes':>10}{'report s':>10}{'with start':>12}{'GiB':>7}{'interval s':>12}"
        f"{'scipy s':>9}{'ratio':>7}"
    )
    for name, size, found, ours, theirs in rows:
        print(
            f"{name:>10}{found['seconds']:>10.2f}{found['wall']:>12.2f}{found['gib']:>7.2f}"
            f"{ours:>12.3f}{theirs:>9.3f}{theirs / ours:>7.1f}"
        )
        seconds, gib = LIMITS.get(size, (math.inf, None))
        kept = kept and found["wall"] < seconds and (gib is None or found["gib"] < gib)
    print(f"  as a run folder, both matchers: {as_run['seconds']:.2f} s, {as_run['wall']:.2f} s")
    growth = math.log(rows[-1][2]["seconds"] / rows[0][2]["seconds"]) / math.log(
        rows[-1][1] / rows[0][1]
    )
    print(
        json.dumps(
            {
                "benchmark": "report",
                "resamples": 2000,
                "seconds": {row[1]: round(row[2]["seconds"], 2) for row in rows},
                "wall_seconds": {row[1]: round(row[2]["wall"], 2) for row in rows},
                "gib": {row[1]: round(row[2]["gib"], 2) for row in rows},
                "run_folder_seconds": round(as_run["wall"], 2),
                "growth_exponent": round(growth, 2),
                "within_limits": kept and as_run["wall"] < LIMITS[PAPER_OUTCOMES][0],
                "ratio_by_outcomes": {row[1]: round(row[4] / row[3], 2) for row in rows},
                "ratio": round(rows[-1][4] / rows[-1][3], 2),
            }
        )
    )


if __name__ == "__main__":
    main()
