"""A real run of the starter over toy models, copies of it to spoil, and zips of any making."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.registry import discover
from scopebench.run.draws import Decoding
from scopebench.run.engine import Job, run_job
from scopebench.run.provenance import file_digest
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)
from scopebench.testing import toy_context

SCHEMAS = {OUTCOMES_FILE: OUTCOMES_SCHEMA, DECISIONS_FILE: DECISIONS_SCHEMA}


@pytest.fixture(scope="session")
def hub_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A benchmark (`bench`) and whole runs on it: `inlay`, `drawn` (two draws), `limited`."""
    folder = tmp_path_factory.mktemp("hub-runs")
    build_benchmark(None, folder / "bench", BuildOptions(limit=12, curated_size=12))
    bench, editors = read_benchmark(folder / "bench"), discover()
    drawn = Decoding(temperature=0.7, draws=2)
    jobs = (
        Job(bench, editors.get("inlay"), toy_context(), folder / "inlay"),
        Job(bench, editors.get("static"), toy_context(), folder / "drawn", decoding=drawn),
        Job(bench, editors.get("static"), toy_context(), folder / "limited", limit=3),
    )
    for job in jobs:
        run_job(job)
    return {name: folder / name for name in ("bench", "inlay", "drawn", "limited")}


@dataclass(frozen=True)
class Copy:
    """A copy of a run folder that a test spoils.

    Attributes:
        folder: The copy.
    """

    folder: Path

    def result(self, change: Callable[[dict[str, Any]], object]) -> Copy:
        """Change `run.json` and write it back."""
        path = self.folder / "run.json"
        stored = json.loads(path.read_text("utf-8"))
        change(stored)
        path.write_text(json.dumps(stored), encoding="utf-8")
        return self

    def rows(self, name: str, change: Callable[[list[dict[str, Any]]], object]) -> Copy:
        """Change the rows of a table in place, and mend its hash in `run.json`."""
        rows = pq.read_table(self.folder / name).to_pylist()
        change(rows)
        write_table(rows, SCHEMAS[name], self.folder / name)
        return self.rehash()

    def rehash(self) -> Copy:
        """Make the hashes in `run.json` those of the tables."""
        hashes = {name: file_digest(self.folder / name) for name in SCHEMAS}
        return self.result(lambda stored: stored.update(tables=hashes))


@pytest.fixture
def copy(hub_runs: dict[str, Path], tmp_path: Path) -> Copy:
    """A copy of the run of `inlay` with its journal."""
    shutil.copytree(hub_runs["inlay"], tmp_path / "run")
    return Copy(tmp_path / "run")


@dataclass(frozen=True)
class Entry:
    """An entry of a hand-made zip; what it declares need not be true.

    Attributes:
        name: Its name, as bytes or text.
        data: What is stored, compressed already unless `method` is 0.
        method: 0 stored, 8 deflated.
        size: The size it declares; None: that of `data`.
        flags: Flag bits.
        attributes: External attributes, the mode in the upper half.
        made_by: The system that it claims to be made on; 3 is Unix.
        crc: The checksum it declares; None: the true one.
    """

    name: str | bytes
    data: bytes
    method: int = 0
    size: int | None = None
    flags: int = 0
    attributes: int = 0
    made_by: int = 3
    crc: int | None = None

    @property
    def raw_name(self) -> bytes:
        return self.name if isinstance(self.name, bytes) else self.name.encode()

    def header(self) -> bytes:
        """The fields that both headers of an entry share (APPNOTE.TXT 4.3.7)."""
        size = len(self.data) if self.size is None else self.size
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        flags = self.flags if isinstance(self.name, bytes) or self.name.isascii() else 0x800
        return struct.pack(
            "<5H3L2H",
            20,
            flags,
            self.method,
            0,
            33,
            crc,
            len(self.data),
            size,
            len(self.raw_name),
            0,
        )


def write_zip(path: Path, entries: Sequence[Entry]) -> Path:
    """Write a zip byte by byte, as no library would."""
    body, directory = b"", b""
    for entry in entries:
        offset = len(body)
        body += b"PK\x03\x04" + entry.header() + entry.raw_name + entry.data
        directory += b"PK\x01\x02" + struct.pack("<H", 20 | entry.made_by << 8) + entry.header()
        directory += struct.pack("<3H2L", 0, 0, 0, entry.attributes, offset) + entry.raw_name
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), len(body), 0
    )
    path.write_bytes(body + directory + end)
    return path


def deflated_zeros(megabytes: int) -> bytes:
    """Return the deflated form of so many megabytes of zero bytes, made in an instant."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return one * megabytes + packer.flush()


def zip_entries(folder: Path, around: str = "") -> list[Entry]:
    """Return the three files of a run folder as entries of a zip."""
    names = ("run.json", OUTCOMES_FILE, DECISIONS_FILE)
    return [Entry(around + name, (folder / name).read_bytes()) for name in names]


class Zips:
    """What tests make zips with."""

    Entry = Entry
    write = staticmethod(write_zip)
    zeros = staticmethod(deflated_zeros)
    entries = staticmethod(zip_entries)


@pytest.fixture(scope="session")
def zips() -> type[Zips]:
    """The maker of zips."""
    return Zips
