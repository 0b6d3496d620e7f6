"""The round that runs now, for all who ask about it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from ..model.plan import Phase
from ..model.rados import Row
from ..model.round import Round
from .run.osd_runner import Stop

# The phase of a round that has measured all it will.
SAVING = "saving"
# The phase of one whose OSDs rest.
RESTING = "rest"


@dataclass
class ActiveRound:
    """The round that runs now. Written by its thread, read by everybody."""

    round: Round
    stop: Stop
    done_before: int = 0
    done: int = 0
    phase: str = "starting"
    began: float = 0.0
    # Seconds of rest: planned before the phases so far; passed here; and the one that is now, as
    # when it began and how long it is.
    rests_met: float = 0.0
    rested: float = 0.0
    resting: Optional[tuple[float, float]] = None
    # How much of the repeat that runs is over, from 0 to 1, where that is known.
    part: float = 0.0
    # What each client has done in that repeat, a row a second.
    rows: dict[int, list[Row]] = field(default_factory=dict)
    # How many repeats it will take, as far as that is known; 0: what is planned.
    repeats: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    # True as soon as its end is in the store: whoever saw that there may start the next.
    saved: bool = False

    def change(self, **values: Any) -> Round:
        """Change the round's fields; returns it as it is then. Two threads may do so."""
        with self.lock:
            self.round = replace(self.round, **values)
            return self.round

    @property
    def samples(self) -> int:
        """How many samples it will take."""
        plan = self.round.plan
        return plan.samples // plan.repeats * max(plan.repeats, self.repeats)

    def progress(self) -> float:
        """From 0 to 1; it falls when more repeats turn out to be needed."""
        return min(1.0, (self.done + self.part) / self.samples) if self.samples else 1.0

    def eta(self, now: float) -> Optional[float]:
        """Seconds left at the speed so far; before the first sample the plan's estimate.

        None while it is saved: nobody knows how long the database takes.
        """
        if self.phase == SAVING:
            return None
        plan, here = self.round.plan, self.done - self.done_before
        resting = 0.0 if self.resting is None else now - self.resting[0]
        rests = plan.rest_seconds - self.rests_met
        if self.resting is not None:
            rests += max(0.0, self.resting[1] - resting)
        if here <= 0:
            return (plan.seconds - plan.rest_seconds) * (1 - self.progress()) + rests
        busy = now - self.began - self.rested - resting
        return max(0, self.samples - self.done) * busy / here + rests

    def on_phase(self, phase: str) -> None:
        """Nothing of it is over yet."""
        self.phase, self.part, self.rows = phase, 0.0, {}

    def hears(self, client: int, row: Row) -> None:
        """A client has worked for one more second of the repeat that runs."""
        load = self.round.plan.load
        self.part = min(1.0, row.second / load.seconds) if load else 0.0
        self.rows.setdefault(client, []).append(row)

    def rests(self, phase: Phase, seconds: float, now: float) -> None:
        """The OSDs rest before a phase, so many seconds from ``now`` (monotonic) on."""
        self.phase, self.resting = RESTING, (now, seconds)
        self.rests_met += phase.rest_seconds

    def enters(self, phase: Phase, now: float) -> None:
        """A phase begins ``now`` (monotonic), and with it ends what rest was before it."""
        self.phase = phase.name
        if self.resting is not None:
            self.rested += now - self.resting[0]
            self.resting = None
        else:
            self.rests_met += phase.rest_seconds

    def why_busy(self) -> str:
        """Why no other round can start, and what to do about it."""
        number = self.round.id
        if self.phase == SAVING:
            return f"round {number} has ended and waits for the database to take it: see 'ceph -s'"
        return (
            f"round {number} is running: wait for it, or end it with "
            f"'ceph perf-bench round abort {number}'"
        )
