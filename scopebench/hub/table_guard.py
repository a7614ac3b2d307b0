"""Reads the tables of a submission for the first time, in a process that may die of them.

A parquet file of a few kilobytes can claim or become hundreds of gigabytes, and what it claims in
its footer need not be what its pages hold. So the footer is checked first, and then everything is
decoded once in a child process with little memory and little time: whatever happens to it, nothing
happens to the caller, who reads only tables that came through.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
)

SCHEMAS: Final[dict[str, Any]] = {
    OUTCOMES_FILE: OUTCOMES_SCHEMA,
    DECISIONS_FILE: DECISIONS_SCHEMA,
}

MOST_ROWS: Final = {OUTCOMES_FILE: 600_000, DECISIONS_FILE: 150_000}
"""Rows of each table: verified, they take about 2 GB at most."""

MOST_BYTES: Final = 160_000_000
"""Bytes of a table in memory."""

MOST_ROW_GROUPS: Final = 256
LONGEST_FOOTER: Final = 1_000_000

LONGEST_TEXT: Final = 8_192
"""Bytes of one cell: an answer is one line of a few dozen tokens, an id or a question is less."""

LONGEST_LIST: Final = 4_096
"""Items of one cell: a query of the public sets has at most some hundred accepted answers."""

MOST_ITEMS: Final = 1_000_000
"""Items of all cells of a column; editors tell about five candidates for each query."""

MEMORY: Final = 1_500_000_000
"""Bytes the child may add to what it holds once pyarrow is imported."""

SECONDS: Final = 120
"""Time the child has; the largest tables take about five seconds."""


def faults_of_tables(folder: Path) -> list[tuple[str, str]]:
    """Return what is wrong with the tables of a folder, as pairs of file name and reason.

    None of it says anything of the rows: only that they can be read, have the columns, types and
    sizes they should, and are valid text.
    """
    framed = {name: _footer_fault(folder / name) for name in SCHEMAS}
    found = [(name, reason) for name, reason in framed.items() if reason is not None]
    if found:
        return found
    return list(_decode_apart([folder / name for name in SCHEMAS]))


def _footer_fault(path: Path) -> str | None:
    """Check the frame of the file by its bytes alone (parquet-format, "File format")."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(max(0, size - 8))
        tail = file.read(8)
    if size < 12 or head != b"PAR1" or tail[4:] != b"PAR1":
        return "not a parquet file, or cut short"
    (footer,) = struct.unpack("<I", tail[:4])
    if footer > min(LONGEST_FOOTER, size - 12):
        return f"its footer claims {footer:,} bytes"
    return None


def _decode_apart(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Decode tables in a child process; yield what is wrong with them.

    The child writes a line for every table that it is done with. Should it die, the table after the
    last line is the one it died of.
    """
    code = "from scopebench.hub.table_guard import main; main()"
    # The child needs to find this package and nothing else: no token of the caller is handed on.
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "TMPDIR") if key in os.environ}
    died = f"reading it fails, or takes more than {MEMORY // 10**6:,} MB of memory"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, paths)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        written = done.stdout
    except subprocess.TimeoutExpired as error:
        written, died = error.stdout or b"", f"reading it takes more than {SECONDS} seconds"
    reasons = [json.loads(line) for line in written.splitlines()]
    for path, reason in zip(paths, reasons, strict=False):
        if reason is not None:
            yield path.name, reason
    if len(reasons) < len(paths):
        yield paths[len(reasons)].name, died


def main() -> None:
    """Decode the tables named on the command line, and write what is wrong with each, or null."""
    _limit_memory()
    for name in sys.argv[1:]:
        sys.stdout.write(json.dumps(_fault(Path(name))) + "\n")
        sys.stdout.flush()


def _limit_memory() -> None:
    """Bound this process's address space, where the platform can."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _fault(path: Path) -> str | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, most_rows = SCHEMAS[path.name], MOST_ROWS[path.name]
    try:
        with pq.ParquetFile(path) as file:
            return (
                _claims(file.metadata, most_rows)
                or _columns(file.schema_arrow, schema)
                or _content(file, most_rows)
            )
    except (pa.ArrowException, OSError, ValueError) as error:
        return f"not readable as parquet ({error})"
    except (MemoryError, RecursionError):
        return f"reading it takes more than {MEMORY // 10**6:,} MB of memory"


def _claims(metadata: Any, most_rows: int) -> str | None:
    """Check what the footer says, before anything is decoded."""
    if not 0 <= metadata.num_rows <= most_rows:
        return f"{metadata.num_rows:,} rows, over {most_rows:,}"
    if metadata.num_row_groups > MOST_ROW_GROUPS:
        return f"{metadata.num_row_groups:,} row groups, over {MOST_ROW_GROUPS}"
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    if sum(group.num_rows for group in groups) != metadata.num_rows:
        return "its row groups have not the rows that the file claims"
    claimed = 0
    for group in groups:
        for n in range(group.num_columns):
            column = group.column(n)
            if column.file_path:
                return f"its column {column.path_in_schema} lies in another file"
            if column.total_uncompressed_size < 0 or column.num_values < 0:
                return f"its column {column.path_in_schema} claims a negative size"
            claimed += column.total_uncompressed_size
    if claimed > MOST_BYTES:
        return f"it claims {claimed:,} bytes, over {MOST_BYTES:,}"
    return None


def _columns(found: Any, schema: Any) -> str | None:
    if len(set(found.names)) < len(found.names):
        return "a column stands twice"
    for name in schema.names:
        if name not in found.names:
            return f"column {name}: missing"
    for field in found:
        if field.name not in schema.names:
            return f"column {field.name}: not one of the table's"
        if field.type != schema.field(field.name).type:
            return f"column {field.name}: {field.type}, not {schema.field(field.name).type}"
    return None


def _content(file: Any, most_rows: int) -> str | None:
    """Decode the columns one by one, so that what is decoded stays little."""
    total = 0
    for name in file.schema_arrow.names:
        table = file.read(columns=[name], use_threads=False)
        total += table.nbytes
        if total > MOST_BYTES:
            return f"more than {MOST_BYTES:,} bytes in memory"
        if table.num_rows > most_rows or table.num_rows != file.metadata.num_rows:
            return f"column {name}: {table.num_rows:,} rows"
        table.validate(full=True)
        for column in table.columns:
            for reason in _cells(column):
                return f"column {name}: {reason}"
    return None


def _cells(column: Any) -> Iterator[str]:
    """Yield what is wrong with the sizes of a column's cells."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):
        longest = pc.max(pc.binary_length(column)).as_py() or 0
        if longest > LONGEST_TEXT:
            yield f"a text of {longest:,} bytes, over {LONGEST_TEXT:,}"
    elif pa.types.is_list(column.type):
        longest = pc.max(pc.list_value_length(column)).as_py() or 0
        if longest > LONGEST_LIST:
            yield f"a list of {longest:,} items, over {LONGEST_LIST:,}"
        items = pc.list_flatten(column)
        if len(items) > MOST_ITEMS:
            yield f"{len(items):,} items in its lists, over {MOST_ITEMS:,}"
        yield from _cells(items)
    elif pa.types.is_struct(column.type):
        for n in range(column.type.num_fields):
            yield from _cells(pc.struct_field(column, n))
