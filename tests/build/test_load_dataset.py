"""`datasets.load_dataset` reads a build by its folder, offline, with no loading script."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from scopebench.build import BuildOptions, read_benchmark, write_benchmark

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


def test_every_config_and_split_loads_alone_with_the_rows_written(town_source, tmp_path):
    out = tmp_path / "out"
    write_benchmark([town_source], out, BuildOptions(withhold="shared"), name="towns")
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(out)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])

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
