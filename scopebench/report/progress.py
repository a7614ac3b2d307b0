"""Progress: a bar on a terminal or in a notebook, a line on stderr now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, NoReturn, Self

from tqdm.auto import tqdm

SECONDS_BETWEEN_LINES: Final = 30.0
"""Where stderr is not a terminal (a log file, CI) a bar would be noise: one line this often."""


def shows_bars() -> bool:
    """Whether whoever waits can see a bar: on a terminal, or in a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; its stderr is no terminal, but is seen."""
    shell = sys.modules.get("IPython")
    return "ipykernel.zmqshell" in sys.modules and shell is not None and bool(shell.get_ipython())


class BarProgress:
    """Implements `scopebench.run.progress.Progress` with a rate and the time left.

    Generations are counted as they come, so that the bar moves inside a unit of work; when the unit
    is finished the count is set right, since several outcomes can share one generation.
    """

    def __init__(self) -> None:
        self._seen = shows_bars()
        self._bar: tqdm[NoReturn] | None = None
        self._counted = 0
        self._shown = 0
        self._total = 0
        self._phase = ""
        self._begun = time.monotonic()
        self._last_line = 0.0
        self._resumed = 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the last state of the bar on the screen."""
        if self._bar is not None:
            self._bar.close()

    def start(self, total: int, done: int) -> None:
        """Show the bar at what an earlier session finished."""
        self._begun, self._resumed = time.monotonic(), done
        self._counted = self._shown = done
        self._total = total
        self._bar = tqdm(
            total=total,
            initial=done,
            unit=" outcomes",
            dynamic_ncols=True,
            smoothing=0.1,
            disable=not self._seen,
            file=sys.stderr,
        )
        self.phase(self._phase)

    def phase(self, text: str) -> None:
        """Show what is being done."""
        self._phase = text
        if self._bar is not None:
            self._bar.set_description_str(text, refresh=True)
        elif self._seen:
            sys.stderr.write(f"scopebench: {text}\n")
            sys.stderr.flush()

    def generated(self, count: int) -> None:
        """Move the bar by generations inside the unit being done."""
        if self._bar is not None:
            self._move_to(min(self._shown + count, self._total))

    def finished(self, outcomes: int) -> None:
        """Set the bar to the outcomes that are done."""
        self._counted += outcomes
        self._move_to(self._counted)

    def _move_to(self, position: int) -> None:
        if self._bar is None:
            return
        self._bar.update(position - self._shown)
        self._shown = position
        now = time.monotonic()
        if self._seen or now - max(self._last_line, self._begun) < SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        rate = (position - self._resumed) / (now - self._begun)
        left = f"{(self._total - position) / rate / 60:.1f} min" if rate > 0 else "unknown time"
        sys.stderr.write(
            f"scopebench: {position}/{self._total} outcomes, {rate:.1f}/s, {left} left "
            f"({self._phase})\n"
        )
        sys.stderr.flush()


class BytesBar:
    """A download bar; `update` takes the bytes so far and the total, if known.

    Args:
        name: What is being fetched.
    """

    def __init__(self, name: str) -> None:
        self._done = 0
        self._bar: tqdm[NoReturn] = tqdm(
            desc=name,
            unit="B",
            unit_scale=True,
            unit_divisor=1024,
            disable=not shows_bars(),
            file=sys.stderr,
        )

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the bar."""
        self._bar.close()

    def update(self, done: int, total: int | None) -> None:
        """Show that so many bytes of the total are there."""
        self._bar.total = total
        self._bar.update(done - self._done)
        self._done = done
