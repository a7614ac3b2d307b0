"""Unpacks a submission's zip, on the assumption that it was made to do harm."""

from __future__ import annotations

import stat
import struct
import unicodedata
import zipfile
import zlib
from pathlib import Path
from typing import IO, Final

from scopebench.errors import InvalidSubmission
from scopebench.hub.limits import SUBMISSION_FILES, Limits, NotASubmission, copy_bounded

_END: Final = struct.Struct("<4s4H2LH")
"""The record at the end of a zip (APPNOTE.TXT 4.3.16): signature, disks, entries, directory."""
_END_SIGNATURE: Final = b"PK\x05\x06"
_ZIP64_SIGNATURE: Final = b"PK\x06\x07"
_ZIP64_BYTES: Final = 20
_LONGEST_COMMENT: Final = 0xFFFF

_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Others take memory that the file itself asks for."""

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
"""Flag bits (APPNOTE.TXT 4.4.4): encrypted, strongly encrypted, masked headers."""

_SMALL: Final = 1_000_000
"""Bytes below which the ratio does not matter."""

_ONLY_THREE: Final = f"pack {', '.join(SUBMISSION_FILES)} and nothing else"


def unpack_zip(path: Path, folder: Path, limits: Limits) -> dict[str, str]:
    """Unpack the three files of a zip into an empty folder and return their SHA-256 by name.

    Raises:
        NotASubmission: If it is no zip.
        InvalidSubmission: If it is not the three files, at its root or inside one folder, or breaks
            a limit.
    """
    if path.stat().st_size > limits.zip_bytes:
        raise InvalidSubmission(f"{path.name}: more than {limits.zip_bytes:,} bytes")
    try:
        with path.open("rb") as file:
            _check_end(file, path.name, limits)
            with zipfile.ZipFile(file) as archive:
                members = _members(archive.infolist(), limits)
                return {
                    name: _unpack(archive, members[name], folder / name, limits)
                    for name in SUBMISSION_FILES
                }
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(UnicodeDecodeError, struct.error, ValueError, OverflowError),
    ) as error:
        raise InvalidSubmission(f"{path.name}: a damaged zip ({error})") from error


def _check_end(file: IO[bytes], name: str, limits: Limits) -> None:
    """Refuse a zip whose directory is large, before it is read: `zipfile` would hold all of it."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END.size - _LONGEST_COMMENT - _ZIP64_BYTES))
    tail = file.read()
    at = tail.rfind(_END_SIGNATURE)
    if at < 0 or at + _END.size > len(tail):
        raise NotASubmission(f"{name}: neither a run folder nor a zip")
    if tail[max(0, at - _ZIP64_BYTES) :].startswith(_ZIP64_SIGNATURE):
        raise InvalidSubmission(f"{name}: a zip64 archive; {_ONLY_THREE}, with an ordinary zip")
    _, _, _, _, entries, directory, _, comment = _END.unpack_from(tail, at)
    if at + _END.size + comment != len(tail):
        raise InvalidSubmission(f"{name}: bytes follow the end of the zip")
    if entries > limits.zip_entries:
        raise InvalidSubmission(f"{name}: {entries:,} entries; {_ONLY_THREE}")
    if directory > limits.zip_directory_bytes:
        raise InvalidSubmission(f"{name}: a directory of {directory:,} bytes; {_ONLY_THREE}")
    file.seek(0)


def _members(infos: list[zipfile.ZipInfo], limits: Limits) -> dict[str, zipfile.ZipInfo]:
    """Return the entry of each of the three files."""
    if len(infos) > limits.zip_entries:
        raise InvalidSubmission(f"{len(infos):,} entries; {_ONLY_THREE}")
    members: dict[str, zipfile.ZipInfo] = {}
    folders: set[str] = set()
    seen: set[str] = set()
    for info in infos:
        _check_entry(info, limits)
        around, _, name = info.filename.rstrip("/").rpartition("/")
        folded = unicodedata.normalize("NFKC", info.filename.rstrip("/")).casefold()
        if folded in seen:
            raise InvalidSubmission(f"{info.filename!r}: two entries of one name")
        seen.add(folded)
        if info.is_dir():
            folders.add(info.filename.rstrip("/"))
        elif name not in SUBMISSION_FILES:
            raise InvalidSubmission(f"{info.filename!r}: not one of the three; {_ONLY_THREE}")
        elif name in members:
            raise InvalidSubmission(f"{info.filename!r}: a second {name}")
        else:
            members[name] = info
            folders.add(around)
    missing = [name for name in SUBMISSION_FILES if name not in members]
    if missing:
        raise InvalidSubmission(f"{missing[0]}: missing from the zip; {_ONLY_THREE}")
    if len(folders) > 1:
        raise InvalidSubmission("the three files lie in different folders; put them into one")
    return members


def _check_entry(info: zipfile.ZipInfo, limits: Limits) -> None:
    """Refuse an entry by its name and attributes."""
    name = info.orig_filename
    parts = name.rstrip("/").split("/")
    if (
        name != info.filename
        or not name.isascii()
        or not name.isprintable()
        or "\\" in name
        or ":" in name
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise InvalidSubmission(f"{name!r}: not a plain path")
    if len(parts) > 2 or (info.is_dir() and len(parts) > 1):
        raise InvalidSubmission(f"{name!r}: folders in folders; {_ONLY_THREE}")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > info.is_dir():
        raise InvalidSubmission(f"{name!r}: a link or a device; {_ONLY_THREE}")
    if info.flag_bits & _ENCRYPTED:
        raise InvalidSubmission(f"{name!r}: encrypted; pack it without a password")
    if info.compress_type not in _METHODS:
        raise InvalidSubmission(f"{name!r}: packed by another method than deflate")
    if info.header_offset < 0:
        raise InvalidSubmission(f"{name!r}: lies before the start of the zip")
    if info.is_dir() and info.file_size:
        raise InvalidSubmission(f"{name!r}: a folder with content")
    if info.file_size > max(_SMALL, limits.zip_ratio * info.compress_size):
        raise InvalidSubmission(f"{name!r}: grows more than {limits.zip_ratio}-fold")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, limits: Limits) -> str:
    most = min(limits.bytes_of(target.name), max(_SMALL, limits.zip_ratio * info.compress_size))
    with archive.open(info) as stream:
        return copy_bounded(stream, target, most)
