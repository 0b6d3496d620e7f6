"""How far a round is, on stderr: a bar that redraws itself, or lines for a log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional, Protocol, TextIO

from ..model.duration import duration_text

_WIDTH = 80
_MOST_BAR = 30
_LEAST_BAR = 8


@dataclass(frozen=True)
class RoundProgress:
    """Where a round is. ``fraction`` is 0 to 1; None where nobody knows."""

    name: str
    phase: str
    fraction: Optional[float] = None
    eta_seconds: Optional[float] = None

    @property
    def percent(self) -> Optional[int]:
        """Whole percents, rounded down: 100 means that all is there."""
        return None if self.fraction is None else int(100 * self.fraction + 1e-9)

    def __str__(self) -> str:
        percent = "" if self.percent is None else f", {self.percent} %"
        left = "" if self.eta_seconds is None else f", {duration_text(self.eta_seconds)} left"
        return f"{self.name}: {self.phase}{percent}{left}"


class Display(Protocol):
    """Where progress goes; ``clear`` leaves the terminal as if nothing had been drawn."""

    def show(self, progress: RoundProgress) -> None: ...

    def say(self, sentence: str) -> None: ...

    def clear(self) -> None: ...


def display_on(stream: TextIO) -> Display:
    """A bar where ``stream`` is a terminal, lines elsewhere."""
    return Bar(stream) if stream.isatty() else Lines(stream)


class Bar:
    """One line that is drawn over and over."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0

    def show(self, progress: RoundProgress) -> None:
        # One column less: a terminal goes to the next line when its last one is written.
        line = draw(progress, min(_WIDTH, _columns(self._stream)) - 1)
        self._write(f"\r{line:<{self._drawn}}")
        self._drawn = len(line)

    def say(self, sentence: str) -> None:
        self.clear()
        self._write(f"{sentence}\n")

    def clear(self) -> None:
        if self._drawn:
            self._write(f"\r{'':<{self._drawn}}\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Lines:
    """A line when the phase changes and at each tenth of the way."""

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
        self._stream.write(f"{sentence}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Lines stay."""


def _columns(stream: TextIO) -> int:
    try:
        # 0 is what a terminal says that nobody told its size.
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    except OSError:
        return _WIDTH


def draw(progress: RoundProgress, width: int) -> str:
    """The progress as one line of at most ``width`` columns, with a bar where one fits."""
    text = str(progress)
    room = min(_MOST_BAR, width - len(text) - 3)
    if progress.fraction is None or room < _LEAST_BAR:
        return text[:width]
    full = int(room * min(1.0, progress.fraction))
    return f"[{'#' * full}{'.' * (room - full)}] {text}"
