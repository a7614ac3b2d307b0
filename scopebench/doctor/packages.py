"""Installed packages against the ranges that this distribution states."""

from __future__ import annotations

import importlib.util
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement

from scopebench.doctor.finding import Finding

DISTRIBUTION: Final = "scopebench"
NEEDED_EXTRAS: Final = ("editors", "local")
"""Extras that `scopebench score` with its defaults needs beside the core."""

OPTIONAL_EXTRAS: Final = ("figures", "leaderboard", "xlsx")
_CUDA: Final = re.compile(r"^cuda(?:: [^=]*)? = (.+)$", re.MULTILINE)


def examine_packages() -> Iterator[Finding]:
    """Yield python and every package that this distribution asks for, outside `dev`."""
    yield _python()
    try:
        stated = metadata.requires(DISTRIBUTION) or []
        version = metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        yield Finding(
            "packages",
            DISTRIBUTION,
            "a source tree that was never installed",
            "missing",
            "run: pip install -e '.[local]' -c requirements/constraints.txt",
        )
        return
    yield Finding("packages", DISTRIBUTION, version)
    met: set[str] = set()
    for text in stated:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        extra = _extra_of(requirement)
        if extra is None or requirement.name == DISTRIBUTION or requirement.name in met:
            continue
        met.add(requirement.name)
        yield _package(requirement, extra)


def examine_torch() -> Iterator[Finding]:
    """Yield which build of torch is installed, told from its files, as importing it takes long."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return
    file = Path(spec.origin).with_name("version.py")
    text = file.read_text("utf-8") if file.is_file() else ""
    found = _CUDA.search(text)
    cuda = None if found is None or "None" in found[1] else found[1].strip().strip("'\"")
    build = "for CPUs" if cuda is None else f"for CUDA {cuda}"
    yield Finding("packages", "torch build", build)


def _python() -> Finding:
    return Finding("python", "python", f"{platform.python_version()} at {sys.executable}")


def _extra_of(requirement: Requirement) -> str | None:
    """Return the extra that brings a package, empty for the core; None: not looked at."""
    marker = requirement.marker
    if marker is None or marker.evaluate({"extra": ""}):
        return ""
    extras = (*NEEDED_EXTRAS, *OPTIONAL_EXTRAS)
    return next((extra for extra in extras if marker.evaluate({"extra": extra})), None)


def _package(requirement: Requirement, extra: str) -> Finding:
    needed = extra in ("", *NEEDED_EXTRAS)
    wanted = "pip install scopebench" if not extra else f"pip install 'scopebench[{extra}]'"
    name, asked = requirement.name, str(requirement.specifier) or "any version"
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        found = f"not installed, {asked} is asked for" + (f" by [{extra}]" if extra else "")
        return Finding("packages", name, found, "missing" if needed else "note", f"run: {wanted}")
    if not requirement.specifier.contains(version, prereleases=True):
        found = f"{version}, {asked} is asked for"
        return Finding("packages", name, found, "problem", f"run: {wanted} --upgrade")
    return Finding("packages", name, f"{version} ({asked})")
