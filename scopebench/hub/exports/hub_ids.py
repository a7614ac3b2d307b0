"""Names as the Hub takes them: dataset ids, revisions and parts of file names."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from scopebench.errors import DataError

_REVISION: Final = re.compile(r"[0-9a-f]{40}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 48


def check_dataset_id(dataset_id: str) -> str:
    """Return a dataset id that the Hub would take.

    Raises:
        DataError: If it is not `ORG/NAME` in the Hub's own rules.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(dataset_id)
    except HFValidationError as error:
        raise DataError(
            f"not a dataset id: {dataset_id!r}", field="--dataset-id", fix="give ORG/NAME"
        ) from error
    if dataset_id.count("/") != 1:
        raise DataError(
            f"not a dataset id: {dataset_id!r}", field="--dataset-id", fix="give ORG/NAME"
        )
    return dataset_id


def check_revision(revision: str | None) -> str | None:
    """Return a commit of the Hub; None stays None.

    Raises:
        DataError: If it is not 40 hex digits: a branch or tag may be moved.
    """
    if revision is not None and not _REVISION.fullmatch(revision):
        raise DataError(
            f"not a commit: {revision!r}",
            field="--dataset-revision",
            fix="give the 40 hex digits of the commit; a branch or tag may be moved",
        )
    return revision


def file_part(name: str) -> str:
    """Return a name as a part of a file name: letters, digits, dot, underscore and dash.

    A name that had to be changed gets a few digits of its hash, so that different names stay
    different.
    """
    plain = _UNSAFE.sub("-", name).strip(".-")[:_LONGEST]
    if plain == name:
        return plain
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{mark}" if plain else mark
