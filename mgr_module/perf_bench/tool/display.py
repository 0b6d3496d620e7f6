"""Prints a round's progress on stderr: one line that is drawn over and over, or lines for a log."""

from __future__ import annotations

import shutil
from typing import Optional, TextIO

from ..model.arguments import duration_text
from ..model.phrases import harmless, one_line

_WIDTH = 80


def progress_text(
    name: str, phase: str, fraction: Optional[float] = None, eta_seconds: Optional[float] = None
) -> str:
    """How far a round is; ``fraction`` is 0 to 1, rounded down so that 100 % means complete."""
    percent = "" if fraction is None else f", {int(100 * fraction + 1e-9)} %"
    left = "" if eta_seconds is None else f", {duration_text(eta_seconds)} left"
    return one_line(f"{name}: {phase}{percent}{left}")


class Display:
    """Progress on a stream; ``clear`` removes from a terminal what was drawn."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._drawn = 0
        self._stage: object = None

    def show(self, text: str, stage: object) -> None:
        """Draw it; what is no terminal gets a line whenever the ``stage`` is another one."""
        if self._is_terminal:
            # One column less: writing the last column moves a terminal to the next line.
            line = text[: min(_WIDTH, shutil.get_terminal_size().columns) - 1]
            self._write(f"\r{line:<{self._drawn}}")
            self._drawn = len(line)
        elif stage != self._stage:
            self._stage = stage
            self.say(text)

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
