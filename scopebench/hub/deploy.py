"""Deploys the leaderboard as a Space of the Hub: repository, settings, files.

A Space installs its `requirements.txt` before the repository's files are there, so that the file
cannot install this package from beside it, and starts the app at the repository's root. So the
sources travel as folders beside the app, with the two lines of metadata by which Python tells their
version, and `requirements.txt` names other distributions only. Where it does name this one, it is
installed from there, and no sources are sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, SpaceCard

import scopebench
from scopebench.errors import DataError
from scopebench.hub.remote import Remote, checked_repo_id, holds_token

RESULTS_VARIABLE: Final = "SCOPEBENCH_LEADERBOARD_RESULTS"
BENCHMARK_VARIABLE: Final = "SCOPEBENCH_LEADERBOARD_BENCHMARK"

_CARD: Final = "README.md"
_REQUIREMENTS: Final = "requirements.txt"
_PACKAGE: Final = "scopebench"
_IGNORED: Final = re.compile(r"(^|/)(__pycache__|\.[^/]*)(/|$)|\.pyc$")
_OWN_REQUIREMENT: Final = re.compile(r"\s*scopebench\s*($|[\[=<>~!@;#])", re.MULTILINE)


@dataclass(frozen=True)
class SpacePlan:
    """What a Space is to be.

    Attributes:
        space: The Space, ORG/NAME.
        variables: Its environment variables.
        files: Its files, by path: a local file, or content.
    """

    space: str
    variables: Mapping[str, str]
    files: Mapping[str, Path | bytes]


def plan_space(
    space: str,
    results_repo: str,
    datasets: Sequence[str],
    leaderboard_dir: Path,
    *,
    variables: Mapping[str, str] | None = None,
) -> SpacePlan:
    """Return what deploying would make of a Space.

    Args:
        space: The Space, ORG/NAME.
        results_repo: The results repository the board reads, ORG/NAME.
        datasets: The benchmarks it verifies against, `ORG/NAME` or `ORG/NAME@REVISION`.
        leaderboard_dir: The folder of the app, with `README.md`, `requirements.txt` and the file
            that the card's `app_file` names.
        variables: More environment variables.

    Raises:
        HubError: If a name is not of the form ORG/NAME.
        DataError: If the app's folder lacks one of these, or one of its text files or a variable
            holds what looks like a token.
    """
    for name in (space, results_repo, *(dataset.partition("@")[0] for dataset in datasets)):
        checked_repo_id(name)
    files: dict[str, Path | bytes] = dict(_tree(leaderboard_dir))
    for needed in (_CARD, _REQUIREMENTS):
        if needed not in files:
            raise DataError("the file is missing", file=leaderboard_dir / needed)
    shown = [results_repo, *(dataset.partition("@")[0] for dataset in datasets)]
    files[_CARD] = _card(leaderboard_dir / _CARD, set(files), shown)
    if not _OWN_REQUIREMENT.search((leaderboard_dir / _REQUIREMENTS).read_text("utf-8")):
        files |= _sources()
    settings = {
        RESULTS_VARIABLE: results_repo,
        BENCHMARK_VARIABLE: " ".join(datasets),
        **(variables or {}),
    }
    _refuse_tokens(files, settings)
    return SpacePlan(space, {key: text for key, text in settings.items() if text}, files)


def deploy_space(
    space: str,
    results_repo: str,
    datasets: Sequence[str],
    leaderboard_dir: Path,
    *,
    dry_run: bool,
    remote: Remote | None = None,
    variables: Mapping[str, str] | None = None,
    private: bool = False,
) -> list[str]:
    """Create or update the Space of a leaderboard.

    Running it again changes only what differs. Files of the app and of the sources that are no
    longer here are deleted there; others in the Space are left.

    Args:
        space: The Space, ORG/NAME.
        results_repo: The results repository the board reads, ORG/NAME.
        datasets: The benchmarks it verifies against, `ORG/NAME` or `ORG/NAME@REVISION`.
        leaderboard_dir: The folder of the app.
        dry_run: Whether to tell only what would be there, and ask the Hub nothing.
        remote: The Hub.
        variables: More environment variables.
        private: Whether a Space that is created is private.

    Returns:
        What it did, or would do: one line for each step, variable and, in a dry run, file.

    Raises:
        DataError: If the app's folder is not complete or holds what looks like a token.
        HubError: If the Hub refuses or cannot be reached.
    """
    plan = plan_space(space, results_repo, datasets, leaderboard_dir, variables=variables)
    if dry_run:
        return _told(plan)
    remote = Remote() if remote is None else remote
    remote.call(
        "creating the Space",
        space,
        lambda: remote.api.create_repo(
            space, repo_type="space", space_sdk="gradio", private=private or None, exist_ok=True
        ),
    )
    done = [f"Space {space} is there: {remote.url('space', space)}"]
    done += _set_variables(plan, remote)
    done.append(_send_files(plan, remote))
    return done


def _tree(root: Path) -> Iterable[tuple[str, Path]]:
    """Yield every file of a folder by its path there, without caches and hidden files."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not _IGNORED.search(name):
            yield name, path


def _sources() -> dict[str, Path | bytes]:
    version = scopebench.__version__
    root = Path(scopebench.__file__).parent
    sources: dict[str, Path | bytes] = {f"{_PACKAGE}/{name}": path for name, path in _tree(root)}
    metadata = f"Metadata-Version: 2.1\nName: {_PACKAGE}\nVersion: {version}\n"
    sources[f"{_PACKAGE}-{version}.dist-info/METADATA"] = metadata.encode()
    return sources


def _card(path: Path, files: set[str], datasets: Sequence[str]) -> bytes:
    """Return the Space's card with the datasets it reads."""
    try:
        card = SpaceCard(path.read_text("utf-8"))
    except Exception as error:  # whatever its front matter makes the YAML reader raise
        reason = " ".join(str(error).split())
        raise DataError(f"the front matter cannot be read ({reason})", file=path) from error
    if card.data.get("sdk") != "gradio":
        raise DataError("not the card of a Gradio Space", file=path, field="sdk")
    if card.data.get("app_file") not in files:
        raise DataError("names no file of the folder", file=path, field="app_file")
    card.data["datasets"] = list(dict.fromkeys(datasets))
    return str(card).encode("utf-8")


def _refuse_tokens(files: Mapping[str, Path | bytes], variables: Mapping[str, str]) -> None:
    for key, value in variables.items():
        if holds_token(value):
            raise DataError(
                "holds what looks like a token; variables of a Space are public",
                field=key,
                fix="set it as a secret in the Space's settings",
            )
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.read_bytes()
        if holds_token(data.decode("utf-8", "ignore")):
            raise DataError(
                "holds what looks like a token of the Hub", file=name, fix="take it out"
            )


def _told(plan: SpacePlan) -> list[str]:
    told = [f"Space {plan.space}: create it, of sdk gradio, where it is not there"]
    told += [f"variable {key}={value}" for key, value in plan.variables.items()]
    for name, content in sorted(plan.files.items()):
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        told.append(f"file {name} ({size:,} bytes)")
    return told


def _set_variables(plan: SpacePlan, remote: Remote) -> list[str]:
    def read() -> dict[str, str]:
        found: Mapping[str, Any] = remote.api.get_space_variables(plan.space)
        return {key: variable.value for key, variable in found.items()}

    there = remote.call("reading the variables", plan.space, read)
    done = []
    for key, value in plan.variables.items():
        if there.get(key) == value:
            done.append(f"variable {key} is {value} already")
            continue
        _set_variable(plan.space, key, value, remote)
        done.append(f"variable {key} set to {value}")
    return done


def _set_variable(space: str, key: str, value: str, remote: Remote) -> None:
    remote.call(f"setting {key}", space, lambda: remote.api.add_space_variable(space, key, value))


def _send_files(plan: SpacePlan, remote: Remote) -> str:
    """Make the Space hold the plan's files, in one commit."""

    def attempt() -> str:
        there = remote.files("space", plan.space)
        roots = {name.partition("/")[0] for name in plan.files if "/" in name}
        stale = sorted(
            name
            for name in there
            if name not in plan.files and _is_ours(name.partition("/")[0], roots)
        )
        before = remote.api.repo_info(plan.space, repo_type="space").sha
        made = remote.api.create_commit(
            plan.space,
            operations=[
                *(
                    CommitOperationAdd(path_in_repo=name, path_or_fileobj=content)
                    for name, content in sorted(plan.files.items())
                ),
                *(CommitOperationDelete(path_in_repo=name) for name in stale),
            ],
            repo_type="space",
            commit_message=f"Leaderboard of scopebench {scopebench.__version__}",
        )
        if made.oid == before:
            return f"files: all {len(plan.files)} are there already, at {before}"
        return f"files: {len(plan.files)} are there, {len(stale)} deleted, at {made.oid}"

    return remote.call("sending the files", plan.space, attempt)


def _is_ours(root: str, roots: set[str]) -> bool:
    """Return whether a folder of the Space is one that deploying wrote, now or before."""
    return root in roots or re.fullmatch(rf"{_PACKAGE}-[^/]+\.dist-info", root) is not None
