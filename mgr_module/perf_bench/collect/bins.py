"""One bin: all OSDs over one span, while it is being filled; a frame once it is complete."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan

from ..model.frame import COMMIT, FRAME_SECONDS, READ, Frame, Mark, Roster
from .channels import MEASURED
from .cuts import Growth

_NAN = float("nan")
_COMMITS, _READS = MEASURED.index(COMMIT), MEASURED.index(READ)


class Bin:
    """Figures by channel and place in the roster that was in force when the bin was opened."""

    def __init__(
        self,
        number: int,
        roster: Roster,
        places: Mapping[int, int],
        groups: Sequence[Sequence[int]],
    ) -> None:
        self.start = number * FRAME_SECONDS
        self.places = places
        self.marks = array("H", bytes(2 * len(roster.members)))
        self._roster = roster
        self._groups = groups
        size = len(roster.members)
        self._latency = [_blank(size) for _ in MEASURED]
        self._ops = [_blank(size) for _ in MEASURED]
        self._into = _blank(size)
        self._out = _blank(size)

    def put(self, channel: int, place: int, growth: Growth) -> None:
        """The seconds and operations of a channel; without operations there is no latency."""
        if growth is not None:
            seconds, ops = growth
            self._ops[channel][place] = ops
            if ops > 0:
                self._latency[channel][place] = seconds / ops

    def put_bytes(self, place: int, into: Growth, out: Growth) -> None:
        if into is not None:
            self._into[place] = into[0]
        if out is not None:
            self._out[place] = out[0]

    def mark(self, osds: Iterable[int], mark: Mark) -> None:
        for osd in osds:
            place = self.places.get(osd)
            if place is not None:
                self.marks[place] |= mark

    def blank(self, osds: Collection[int]) -> None:
        """Our own bench ran on these: their figures are no data, and their hosts' are disturbed."""
        members = self._roster.members
        places = [self.places[osd] for osd in osds if osd in self.places]
        if not places:
            return
        for place in places:
            for values in (*self._latency, *self._ops, self._into, self._out):
                values[place] = _NAN
            self.marks[place] |= Mark.BENCHED
        hosts = {members[place].host for place in places}
        beside = (one.osd for one in members if one.host in hosts and one.osd not in osds)
        self.mark(beside, Mark.DISTURBED)

    def frame(self) -> Frame:
        known = [
            (name, latency, ops)
            for name, latency, ops in zip(MEASURED, self._latency, self._ops)
            if not all(map(isnan, ops))
        ]
        return Frame(
            start=self.start,
            end=self.start + FRAME_SECONDS,
            roster=self._roster,
            latency={name: latency for name, latency, _ in known},
            ops={name: ops for name, _, ops in known},
            load=self._load(),
            marks=self.marks,
        )

    def _load(self) -> Sequence[float]:
        """Bytes/s that each OSD's device moved, as far as the mgr can know.

        ``op_in_bytes`` counts at the primary only: with primary affinity, or erasure coding,
        it says little of a device. Transactions and reads are counted where they are done, those
        of replicas, recovery and scrub too. So what a cohort's clients wrote is shared out by
        transactions, what they read by reads.
        """
        load = _blank(len(self.marks))
        commits, reads = self._ops[_COMMITS], self._ops[_READS]
        for places in self._groups:
            written = _mean(self._into, commits, places)
            read = _mean(self._out, reads, places)
            for place in places:
                total = commits[place] * written + _known(reads[place]) * read
                load[place] = total / FRAME_SECONDS
        return load


def _mean(amounts: Sequence[float], counts: Sequence[float], places: Sequence[int]) -> float:
    amount = sum(_known(amounts[place]) for place in places)
    count = sum(_known(counts[place]) for place in places)
    return amount / count if count else 0.0


def _known(value: float) -> float:
    return 0.0 if isnan(value) else value


def _blank(size: int) -> array[float]:
    return array("d", [_NAN]) * size
