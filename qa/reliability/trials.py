"""The trials of a part, as they are kept and printed. A new part adds itself to ``parts.PARTS``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Trial:
    """``count`` trials of ``what``, and the ``faults`` they found.

    ``row`` is the line of the table that it is counted in; by default ``what``.
    """

    what: str
    count: int
    seconds: float
    faults: Sequence[str] = ()
    note: str = ""
    row: str = ""


@dataclass(frozen=True)
class Order:
    """How a part is to run: ``seed`` of its chance, ``seconds`` for all of its trials.

    A part may write to ``folder``.
    ``held`` are the trials of this part and release that passed when they were tried last,
    ``failing`` those that failed, ``tried`` the rows of the table that have a trial. ``share``
    (2, 3) is the second of three runs of a seed at once, each of which tries other things.
    ``folders`` of the module limit the part `mutants` to them; without any it tries all. ``only``
    limits the part `crash` to trials with all these words, which it tries again and again.
    ``traces`` is the folder of the labelled recordings.
    """

    seed: int
    seconds: float
    folder: Path
    release: str = "native"
    held: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    share: tuple[int, int] = (1, 1)
    folders: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    traces: Optional[Path] = None

    def ours(self, every: Sequence[T]) -> list[T]:
        """Of what all runs have in the same order, our share."""
        number, count = self.share
        return list(every[number - 1 :: count])


@dataclass(frozen=True)
class Part:
    """A part: its name, what it tries in a line, and what runs it.

    Its trials are kept one by one as they come. ``short_minutes`` is its time in the short form;
    0 leaves it out.
    """

    name: str
    about: str
    run: Callable[[Order], Iterable[Trial]]
    short_minutes: float = 0.0
