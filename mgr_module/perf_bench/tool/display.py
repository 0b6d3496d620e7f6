"""Print a round's progress on stderr: a bar that redraws itself, or lines for a log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional, Protocol, TextIO

from ..model.arguments import duration_text
from ..model.printable import harmless, one_line

_WIDTH = 80
_MOST_BAR = 30
_LEAST_BAR = 8


@dataclass(frozen=True)
class RoundProgress:
    """A round's progress. ``fraction`` is 0 to 1; None if unknown."""

    name: str
    phase: str
    fraction: Optional[float] = None
    eta_seconds: Optional[float] = None

    @property
    def percent(self) -> Optional[int]:
        """Whole percent, rounded down, so that 100 means complete."""
        return None if self.fraction is None else int(100 * self.fraction + 1e-9)

    def __str__(self) -> str:
        percent = "" if self.percent is None else f", {self.percent} %"
        left = "" if self.eta_seconds is None else f", {duration_text(self.eta_seconds)} left"
        return one_line(f"{self.name}: {self.phase}{percent}{left}")


class Display(Protocol):
    """Shows progress; ``clear`` removes from the terminal what was drawn."""

    def show(self, progress: RoundProgress) -> None: ...

    def say(self, sentence: str) -> None: ...

    def clear(self) -> None: ...


def display_on(stream: TextIO) -> Display:
    """A bar if ``stream`` is a terminal, else lines."""
    return Bar(stream) if stream.isatty() else Lines(stream)


class Bar:
    """One line that is drawn over and over."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0

    def show(self, progress: RoundProgress) -> None:
        # One column less: writing the last column moves a terminal to the next line.
        line = draw(progress, min(_WIDTH, _columns(self._stream)) - 1)
        self._write(f"\r{line:<{self._drawn}}")
        self._drawn = len(line)

    def say(self, sentence: str) -> None:
        self.clear()
        self._write(f"{harmless(sentence)}\n")

    def clear(self) -> None:
        if self._drawn:
            self._write(f"\r{'':<{self._drawn}}\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Lines:
    """Prints a line when the phase changes and at each tenth of the round."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown: tuple[str, Optional[int]] = ("", None)

    def show(self, progress: RoundProgress) -> None:
        percent = progress.percent
        stage = (progress.phase, None if percent is None else percent // 10)
        if stage != self._shown:
            self._shown = stage
            self.say(str(progress))

    def say(self, sentence: str) -> None:
        self._stream.write(f"{harmless(sentence)}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Lines stay."""


def _columns(stream: TextIO) -> int:
    try:
        # A terminal whose size was never set reports 0.
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    except OSError:
        return _WIDTH


def draw(progress: RoundProgress, width: int) -> str:
    """The progress as one line of at most ``width`` columns, with a bar if one fits."""
    text = str(progress)
    bar_width = min(_MOST_BAR, width - len(text) - 3)
    if progress.fraction is None or bar_width < _LEAST_BAR:
        return text[:width]
    full = int(bar_width * min(1.0, progress.fraction))
    return f"[{'#' * full}{'.' * (bar_width - full)}] {text}"
