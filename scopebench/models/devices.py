"""Which device to compute on and which floating-point type to compute in."""

from __future__ import annotations

import re
from typing import Any, Final

from scopebench.errors import ModelError
from scopebench.models.locate import require

DTYPES: Final = ("float32", "bfloat16", "float16")


def resolve_device(name: str) -> str:
    """Return the device to compute on: `cpu`, `cuda`, `cuda:<n>` or `mps`.

    Args:
        name: One of these, or `auto` for the first available of cuda, mps and cpu.

    Raises:
        ModelError: If the name is unknown or the device is not there.
        MissingDependency: If torch is not installed.
    """
    if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", name):
        raise ModelError(f"no device is called {name!r}; choose auto, cpu, cuda, cuda:<n> or mps")
    require("torch")
    import torch

    mps = torch.backends.mps.is_available()
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if mps else "cpu"
    if name == "mps" and not mps:
        raise ModelError("device mps is not available here; choose auto or cpu")
    if name.startswith("cuda"):
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        number = int(name.partition(":")[2] or 0)
        if number >= count:
            there = f"there are {count} CUDA devices" if count else "there is no CUDA device"
            raise ModelError(f"device {name} is not available here, {there}; choose auto or cpu")
    return name


def resolve_dtype(name: str, settings: dict[str, Any]) -> str:
    """Return the floating-point type to compute in: one of `DTYPES`.

    Args:
        name: One of `DTYPES`, or `auto` for the type the weights are stored in.
        settings: The model's `config.json`.

    Raises:
        ModelError: If the type is unknown, or the stored one cannot be computed in.
    """
    if name in DTYPES:
        return name
    choices = ", ".join(DTYPES)
    if name != "auto":
        raise ModelError(f"no dtype is called {name!r}; choose auto, {choices}")
    stored = str(settings.get("dtype") or settings.get("torch_dtype") or "float32")
    if stored not in DTYPES:
        raise ModelError(f"the weights are stored as {stored}; choose the dtype: {choices}")
    return stored
