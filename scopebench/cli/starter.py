"""The benchmark a verb uses when none is named."""

from __future__ import annotations

from pathlib import Path


def starter_benchmark() -> Path:
    """Return the folder of the starter benchmark, building it in the cache when it is missing."""
    from scopebench import __version__
    from scopebench.build import BuildOptions, build_benchmark
    from scopebench.cache_dir import cache_dir
    from scopebench.disk_errors import clear_disk_errors
    from scopebench.errors import DataError
    from scopebench.sources.starter import starter_digest

    folder = cache_dir() / "benchmarks" / f"starter-{__version__}-{starter_digest()[:12]}"
    if not (folder / "manifest.json").is_file():
        with clear_disk_errors(folder.parent, DataError):
            folder.parent.mkdir(parents=True, exist_ok=True)
        build_benchmark(None, folder, BuildOptions())
    return folder
