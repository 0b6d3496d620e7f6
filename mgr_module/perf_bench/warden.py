"""What stands between the rounds and the cluster: may one start, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Callable

from .model.admission import Rules, Situation
from .model.options import AdmissionOptions
from .model.round import OsdResult
from .ports import Clock, Outlook
from .schedule.changes import Changes
from .schedule.possible import possible
from .schedule.rules import rules_of

# Pairs of a block size and what an OSD reached with it.
Reached = Iterable[tuple[int, OsdResult]]


class Warden:
    """Ticks on one thread; may be asked from any."""

    def __init__(
        self, outlook: Outlook, clock: Clock, options: Callable[[], AdmissionOptions]
    ) -> None:
        self._outlook = outlook
        self._clock = clock
        self._options = options
        self._changes = Changes()

    def tick(self) -> None:
        """Take note of who is up; to be called every few seconds."""
        self._changes.look(self._clock.monotonic(), self._outlook.up())

    def rules(self, attended: bool = True) -> Rules:
        """What the operator allows now. Raises NotNow for an option that means nothing."""
        return rules_of(self._options(), attended)

    def look(self, osds: Sequence[int], reached: Reached, in_cluster: int) -> Situation:
        """How the cluster is, as far as admission goes; wear and running rounds are the bench's.

        ``reached`` are the newest results, ``in_cluster`` is how many OSDs there are.
        """
        settle = float(self._options().settle_seconds)
        return replace(
            self._outlook.look(osds),
            changes=self._changes.counts(self._clock.monotonic(), settle),
            possible=possible(reached, in_cluster, self._outlook.copies()),
        )
