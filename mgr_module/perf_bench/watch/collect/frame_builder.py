"""A bin collects the figures of all OSDs over one span; a complete bin becomes a frame."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import repeat
from math import isnan
from operator import add, mul, sub

from ...model.frame import COMMIT, FRAME_SECONDS, READ, Frame, Mark, Roster
from .counter_reader import BYTES, MEASURED, DeltaStrip

_NAN = float("nan")


class Bin:
    """Figures by channel and position in the roster of the time when the bin was opened."""

    def __init__(
        self,
        number: int,
        roster: Roster,
        places: Mapping[int, int],
        groups: Sequence[Sequence[int]],
    ) -> None:
        self.start = number * FRAME_SECONDS
        self.places = places
        self._roster = roster
        self._groups = groups
        self._marks = array("H", bytes(2 * len(roster.members)))
        size = len(roster.members) + 1  # and one for OSDs that are not in the roster
        self._latency = {channel: _blank(size) for channel in MEASURED}
        self._ops = {channel: _blank(size) for channel in MEASURED}
        self._bytes = {slot: _blank(size) for slot in BYTES}

    def places_of(self, osds: Sequence[int]) -> list[int]:
        """Return the positions; OSDs that came after the bin was opened get the extra one."""
        beyond = len(self._marks)
        return [self.places.get(osd, beyond) for osd in osds]

    def put_latency(
        self, channel: str, places: Sequence[int], seconds: Sequence[float], ops: Sequence[float]
    ) -> None:
        """Set the means from the total seconds and operations; NaN without operations."""
        means = [took / done if done > 0 else _NAN for took, done in zip(seconds, ops)]
        _put(self._latency[channel], places, means)
        _put(self._ops[channel], places, ops)

    def put_bytes(self, slot: str, places: Sequence[int], amounts: Sequence[float]) -> None:
        _put(self._bytes[slot], places, amounts)

    def mark(self, osds: Iterable[int], mark: Mark) -> None:
        bits = int(mark)  # an IntFlag's own | takes 5 us
        for osd in osds:
            place = self.places.get(osd)
            if place is not None:
                self._marks[place] |= bits

    def blank(self, osds: Collection[int]) -> None:
        """Remove the data of OSDs under bench, and mark the others on their hosts as disturbed."""
        members = self._roster.members
        places = [self.places[osd] for osd in osds if osd in self.places]
        hosts = {members[place].host for place in places}
        for values in self._all():
            for place in places:
                values[place] = _NAN
        self.mark(osds, Mark.BENCHED)
        if hosts:
            beside = (one.osd for one in members if one.host in hosts and one.osd not in osds)
            self.mark(beside, Mark.DISTURBED)

    def frame(self) -> Frame:
        for values in self._all():
            values.pop()  # the extra position
        known = [channel for channel, ops in self._ops.items() if not all(map(isnan, ops))]
        return Frame(
            start=self.start,
            end=self.start + FRAME_SECONDS,
            roster=self._roster,
            latency={channel: self._latency[channel] for channel in known},
            ops={channel: self._ops[channel] for channel in known},
            load=self._load(),
            marks=self._marks,
        )

    def _all(self) -> Iterable[array[float]]:
        return (*self._latency.values(), *self._ops.values(), *self._bytes.values())

    def _load(self) -> Sequence[float]:
        """Return an estimate of the bytes/s of each OSD's device.

        ``op_in_bytes`` counts at the primary only, so with primary affinity or erasure coding it
        does not show the load of a device. Transactions and reads count on the OSD that does
        them, including those of replicas, recovery and scrub. So the bytes written in a cohort
        are distributed by transactions, the bytes read by reads.
        """
        load = _blank(len(self._marks))
        for places in self._groups:
            written = _shared(self._bytes["into"], self._ops[COMMIT], places)
            read = _shared(self._bytes["out"], self._ops[READ], places)
            for place, into, out in zip(places, written, read):
                load[place] = (into + (0.0 if isnan(out) else out)) / FRAME_SECONDS
        return load


def fill(strip: DeltaStrip, bins: Sequence[Bin]) -> None:
    """Copy a strip's figures into its bins, where slots that the OSDs do not send stay NaN."""
    places = [a_bin.places_of(strip.osds) for a_bin in bins]
    for channel, (whole, part) in MEASURED.items():
        if whole not in strip.slots or (part and part not in strip.slots):
            continue
        seconds, ops = strip.sums(whole), strip.numbers(whole)
        if part:
            seconds = [_less(*row) for row in zip(seconds, strip.sums(part))]
            ops = [_where_known(*row) for row in zip(ops, seconds)]
        for a_bin, where, took, done in zip(bins, places, seconds, ops):
            a_bin.put_latency(channel, where, took, done)
    for slot in strip.slots.intersection(BYTES):
        for a_bin, where, amounts in zip(bins, places, strip.sums(slot)):
            a_bin.put_bytes(slot, where, amounts)
    recovered = strip.sums("recovery") if "recovery" in strip.slots else ()
    for a_bin, moved in zip(bins, recovered):
        a_bin.mark([osd for osd, ops in zip(strip.osds, moved) if ops > 0], Mark.RECOVERING)


def _put(values: array[float], places: Sequence[int], figures: Sequence[float]) -> None:
    for place, figure in zip(places, figures):
        values[place] = figure


def _less(whole: Sequence[float], part: Sequence[float]) -> list[float]:
    return [0.0 if rest < 0 else rest for rest in map(sub, whole, part)]


def _where_known(ops: list[float], seconds: Sequence[float]) -> list[float]:
    """Return the operations; NaN for an unknown mean."""
    if not isnan(sum(seconds)):  # the usual case
        return ops
    return [_NAN if isnan(took) else done for done, took in zip(ops, seconds)]


def _shared(
    amounts: Sequence[float], counts: Sequence[float], places: Sequence[int]
) -> list[float]:
    """Return counts times the cohort's mean amount per count; without counts the amounts."""
    amounts = list(map(amounts.__getitem__, places))
    counts = list(map(counts.__getitem__, places))
    # Of most OSDs the amounts are not read.
    known = [at for at, both in enumerate(map(add, amounts, counts)) if not isnan(both)]
    count = sum([counts[at] for at in known])
    if not count:
        return amounts
    mean = sum([amounts[at] for at in known]) / count
    return list(map(mul, counts, repeat(mean)))


def _blank(size: int) -> array[float]:
    return array("d", [_NAN]) * size
