"""Reads OSDs over time with the band of their peers: from the database, and from memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from ..model.history import CHUNK, MINUTE
from ..model.peer_band import BandPoint, Compared, band_point
from . import series
from .encoding import widen
from .minute_ring import MinuteColumns
from .spans import Period, Table


def read(table: Table, of: Compared, period: Period) -> list[BandPoint]:
    """Return the points of a period, in order."""
    by_start: dict[int, dict[int, float]] = {}
    wanted = {*of.own, *of.peers}
    for chunk in sorted({osd // CHUNK for osd in wanted}):
        for start, block in series.blocks(table, chunk, (of.channel,), period):
            columns = block.channels.get(of.channel)
            if columns is not None:
                values = zip(block.osds, widen(columns.mean))
                by_start.setdefault(start, {}).update(_known(values, wanted))
    return _points(
        band_point(start, period.level, values, of) for start, values in sorted(by_start.items())
    )


def of_minutes(minutes: Sequence[MinuteColumns], of: Compared) -> list[BandPoint]:
    """Return the points of these minutes; one in which the OSDs changed has two parts."""
    asked = {*of.own, *of.peers}
    wanted = sorted(asked)
    osds: array[int] = array("l")
    there: list[tuple[int, int]] = []
    by_start: dict[int, dict[int, float]] = {}
    for minute in minutes:
        if minute.osds is not osds:
            osds = minute.osds
            places = ((osd, bisect_left(osds, osd)) for osd in wanted)
            there = [(osd, at) for osd, at in places if at < len(osds) and osds[at] == osd]
        codes = minute.means.get(of.channel)
        if codes is not None:
            means = widen(array("H", [codes[at] for _, at in there]))
            values = _known(zip([osd for osd, _ in there], means), asked)
            by_start.setdefault(minute.start, {}).update(values)
    return _points(band_point(start, MINUTE, values, of) for start, values in by_start.items())


def _known(
    values: Iterable[tuple[int, float]], wanted: Collection[int]
) -> Iterable[tuple[int, float]]:
    """The values that are no NaN of the OSDs in ``wanted``."""
    return [
        (osd, mean)
        for osd, mean in values
        if mean == mean and osd in wanted  # noqa: PLR0124 - False for NaN
    ]


def _points(found: Iterable[object]) -> list[BandPoint]:
    return [one for one in found if isinstance(one, BandPoint)]
