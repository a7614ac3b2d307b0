"""`datasets.load_dataset` reads a build by its folder, offline, with no loading script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark, write_benchmark

READ = """
import json, sys
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
folder = sys.argv[1]
configs = get_dataset_config_names(folder)
print(json.dumps({
    config: {
        split: load_dataset(folder, config, split=split).to_list()
        for split in get_dataset_split_names(folder, config)
    }
    for config in configs
}))
"""


COUNT = """
import json, sys
from collections import Counter
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
folder = sys.argv[1]
found = {}
for config in get_dataset_config_names(folder):
    for split in get_dataset_split_names(folder, config):
        rows = load_dataset(folder, config, split=split)
        counts = {"edits": len(rows)}
        if "kind" in rows.column_names:
            scope = [bool(ids) for ids in rows["governing_edit_ids"]]
            counts = {
                "queries": len(rows),
                "in_scope": sum(scope),
                "out_of_scope": len(scope) - sum(scope),
                "decision_only": sum(answers is None for answers in rows["answers"]),
                "clusters": len(set(rows["cluster"])),
                "dev": Counter(rows["fold"])["dev"],
                "test": Counter(rows["fold"])["test"],
                "kinds": dict(Counter(rows["kind"])),
            }
        found.setdefault(config, {})[split] = counts
print(json.dumps(found))
"""


def read_apart(code: str, folder: Path, home: Path) -> dict[str, Any]:
    """Run code on a folder in a process that cannot reach the Hub, and return what it prints."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def test_the_starter_loads_with_the_counts_of_its_manifest(tmp_path):
    out = tmp_path / "out"
    manifest = build_benchmark(None, out, BuildOptions())
    loaded = read_apart(COUNT, out, tmp_path / "home")
    assert len([config for config in loaded if not config.endswith("_edits")]) == 9
    assert loaded == {name: config["splits"] for name, config in manifest["configs"].items()}


def test_every_config_and_split_loads_alone_with_the_rows_written(town_source, tmp_path):
    out = tmp_path / "out"
    write_benchmark([town_source], out, BuildOptions(withhold="shared"), name="towns")
    loaded = read_apart(READ, out, tmp_path / "home")

    read = read_benchmark(out).datasets["mquake_cf"]
    expected = {
        "mquake_cf_edits": {
            "index": [edit.model_dump(mode="json") for edit in read.index["original"]],
            "withheld": [edit.model_dump(mode="json") for edit in read.index["withheld"]],
            "curated": [edit.model_dump(mode="json") for edit in read.index["curated"]],
        }
    }
    for (condition, population), queries in read.queries.items():
        rows = [query.model_dump(mode="json") for query in queries]
        expected.setdefault(f"mquake_cf_{condition}", {})[population] = rows
    assert loaded == expected
