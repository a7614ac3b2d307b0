"""One clear line for a disk that is full or closed to us."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from scopebench.errors import ScopeBenchError

_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_WRITE: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR, errno.EISDIR}
    | {errno.ENOENT, errno.ENAMETOOLONG}
)


@contextmanager
def clear_disk_errors(target: Path, kind: type[ScopeBenchError]) -> Iterator[None]:
    """Raise `kind`, naming `target`, where the disk is full or may not be written.

    Any other `OSError` passes unchanged.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise kind(f"no space left to write {target}; free some and run again") from error
        if error.errno in _NO_WRITE:
            raise kind(
                f"cannot write {target} ({error.strerror}); allow it or choose another folder"
            ) from error
        raise
