"""What a round will do: phase after phase, each a step on waves of OSDs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from .bench import READ, Step
from .imported import Imported
from .rados import LoadPlan

# The parts of a sandwich. Those after a rest are RESTED with their number: "rested-1".
BEFORE = "before"
TOGETHER = "together"
AFTER = "after"
RESTED = "rested"
# The parts of a round that looks for write-ahead logs.
DEFERRED = "deferred"
DIRECT = "direct"


@dataclass(frozen=True)
class Phase:
    """One step on waves of OSDs. ``waves`` are OSD IDs that run together.

    ``part`` says which part of a round of several it belongs to, empty where a round has but one.
    Before it begins the OSDs rest for ``rest_seconds`` from the end of the phase before.
    """

    step: Step
    waves: tuple[tuple[int, ...], ...]
    part: str = ""
    rest_seconds: float = 0.0

    @property
    def name(self) -> str:
        """What its samples say of where they are from; no two phases of a plan share it."""
        return f"{self.part}-{self.step.operation}" if self.part else self.step.operation

    @property
    def osds(self) -> tuple[int, ...]:
        return tuple(sorted(osd for wave in self.waves for osd in wave))

    @property
    def count(self) -> int:
        """How many OSDs it measures."""
        return sum(map(len, self.waves))


@dataclass(frozen=True)
class Plan:
    """What a round will do.

    In each phase each pass over all waves is one repeat. ``seconds`` is an estimate with the
    rests, ``basis`` says where it comes from. ``repeats`` are always made; where ``max_repeats``
    are more (only in plans of one phase), others follow until the figures are sure enough.
    ``raised`` are options of OSDs that must have at least these values while it runs.
    ``copies`` is how often an object that is read is stored.

    A round of clients has a ``load``: then its phase stands for the OSDs that are loaded, all at
    once, and its step for what a repeat writes to each of them. What another tool measured is
    ``imported``: then it has no wave, and its step is the job that moved most.
    """

    profile: str
    phases: tuple[Phase, ...]
    repeats: int
    seconds: float
    basis: str
    notes: tuple[str, ...] = ()
    max_repeats: int = 0
    raised: tuple[tuple[str, int], ...] = ()
    load: Optional[LoadPlan] = None
    imported: Optional[Imported] = None
    copies: int = 1

    @property
    def leading(self) -> Phase:
        """The phase whose figures stand for the round: the first that measures the most OSDs."""
        return max(self.phases, key=lambda phase: phase.count)

    @property
    def step(self) -> Step:
        return self.leading.step

    @property
    def waves(self) -> tuple[tuple[int, ...], ...]:
        return self.leading.waves

    @property
    def most(self) -> int:
        """How many repeats are made at most."""
        return max(self.repeats, self.max_repeats)

    @property
    def osds(self) -> tuple[int, ...]:
        return tuple(sorted({osd for phase in self.phases for osd in phase.osds}))

    @property
    def samples(self) -> int:
        if self.load is not None:
            return self.repeats
        return self.repeats * sum(phase.count for phase in self.phases)

    @property
    def rest_seconds(self) -> float:
        return sum(phase.rest_seconds for phase in self.phases)

    @property
    def reads(self) -> Mapping[int, Step]:
        """By OSD that is read from the step that does so: its objects are made beforehand."""
        return {
            osd: phase.step
            for phase in self.phases
            if phase.step.operation == READ
            for osd in phase.osds
        }

    @property
    def kept_bytes(self) -> int:
        """Bytes of objects that stand in the bench pool while the round runs, a copy each."""
        return sum(step.prepared_bytes for step in self.reads.values())

    def bytes_by_osd(self, repeats: int) -> Mapping[int, int]:
        """Bytes that so many repeats write to each OSD's device, preparation included.

        The copies of what an OSD is read by lie where chance has put them: it is counted with all
        of them, so that the sum is what the cluster writes.
        """
        reads = self.reads
        written = {
            osd: reads[osd].prepared_bytes * self.copies if osd in reads else 0 for osd in self.osds
        }
        for phase in self.phases:
            for osd in phase.osds:
                written[osd] += repeats * phase.step.bytes_written
        return written

    @property
    def bytes_per_osd(self) -> int:
        """What ``repeats`` write to the OSD that is written to most."""
        return max(self.bytes_by_osd(self.repeats).values(), default=0)

    @property
    def most_bytes_per_osd(self) -> int:
        """The same by as many repeats as are made at most."""
        return max(self.bytes_by_osd(self.most).values(), default=0)

    @property
    def most_seconds(self) -> float:
        """How long as many repeats take as are made at most."""
        return (self.seconds - self.rest_seconds) * self.most / self.repeats + self.rest_seconds
