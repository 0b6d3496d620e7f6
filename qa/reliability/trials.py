"""The trials of a part, as they are kept and printed. A new part adds itself to ``parts.PARTS``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


@dataclass(frozen=True)
class Trial:
    """One line of the table: ``count`` trials of ``what``, and the ``faults`` they found."""

    what: str
    count: int
    seconds: float
    faults: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Order:
    """How a part is to run: ``seed`` of its chance, ``seconds`` for all of its trials.

    ``tools`` is the folder of programs of requirements.lock, ``folder`` where a part may write.
    """

    seed: int
    seconds: float
    tools: Path
    folder: Path
    release: str = "native"


@dataclass(frozen=True)
class Part:
    """A part: its name, what it tries in a line, and what runs it."""

    name: str
    about: str
    run: Callable[[Order], Sequence[Trial]]
