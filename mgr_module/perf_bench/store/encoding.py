"""The figures of all OSDs over a span: summed up from frames, as bytes, merged into longer spans.

For 10,000 OSDs whole columns are processed, and single OSDs only if they differ from their peers.

Latencies are stored as the upper half of a float32: 8 bits of mantissa, which is a step of 0.4 to
0.8 % at any size, and NaN ("no data") stays NaN. The conversion is a copy in C. Logarithms would
take 15 ms for 10,000 OSDs and five channels.
"""

# ruff: noqa: FURB136, PLR0124
# x == x is False for NaN; a call of isnan() or max() for each value would double the time.

from __future__ import annotations

import math
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add, mul
from typing import Optional

from ..model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, READ, Roster
from ..model.history import BINS, CHUNK, LOAD, RATIO_EDGES, SeriesPoint
from ..model.json_fields import inflated

VERSION = 1
# The value of an unknown number of operations; the largest valid number is one less.
UNKNOWN = 0xFFFFFFFF
_MOST = 0xFFFF

_HEAD = struct.Struct("<BBQ")  # version, channels, which of the chunk's OSDs
_SUM = struct.Struct("<I")  # CRC-32 of all bytes before it
# All channels. The order is part of the encoding: add new ones at the end. The probe's are those
# of an earlier version, which may still be in the series.
CODES = (
    COMMIT, READ, QUEUE, CLIENT_READ, CLIENT_WRITE, "probe_read", "probe_write", LOAD
)  # fmt: skip
_UPPER = 1 if sys.byteorder == "little" else 0
_MIDDLE = 0x8000  # the middle of a step: the removed half was between 0 and 0xFFFF
_ZERO = 1e-37  # smaller values are zero: the middle of the first step is not zero


_NAN = float("nan")


@dataclass
class Columns:
    """One channel of a chunk's OSDs, by the OSD's position in the chunk.

    ``mean`` and ``peak`` are values of ``shrink``. ``bins`` are BINS columns of counts; those of a
    minute have none of these, and no ``ops``.
    """

    mean: array[int]
    peak: array[int]
    ops: array[int]
    bins: Sequence[array[int]]


@dataclass
class Block:
    """A chunk's OSDs (IDs, ascending) over one span, by channel."""

    osds: Sequence[int]
    channels: Mapping[str, Columns]


def shrink(values: Iterable[float]) -> array[int]:
    """Return the upper half of each value's float32."""
    halves = array("H")
    halves.frombytes(array("f", values).tobytes())
    return halves[_UPPER::2]


def widen(codes: array[int]) -> array[float]:
    """Return the values of ``shrink`` as the middle of each step; NaN stays NaN."""
    halves = array("H", [_MIDDLE]) * (2 * len(codes))
    halves[_UPPER::2] = codes
    values = array("f")
    values.frombytes(halves.tobytes())
    return values


def figure(codes: array[int], place: int) -> Optional[float]:
    """Return the figure at a position; None for "no data"."""
    (value,) = widen(codes[place : place + 1])
    if math.isnan(value):
        return None
    return value if value > _ZERO else 0.0


def pack(block: Block) -> bytes:
    """Return the block as bytes; all of its OSDs must be of one chunk."""
    present = 0
    for osd in block.osds:
        present |= 1 << (osd % CHUNK)
    halves, whole = array("H"), array("I")
    names = sorted(block.channels, key=CODES.index)
    for name in names:
        columns = block.channels[name]
        halves += columns.mean
        halves += columns.peak
        for bin_ in columns.bins:
            halves += bin_
        whole += columns.ops
    head = _HEAD.pack(VERSION, len(names), present) + bytes(map(CODES.index, names))
    data = head + zlib.compress(_planes(halves) + _planes(whole), 1)
    return data + _SUM.pack(zlib.crc32(data))


def unpack(data: bytes, chunk: int, only: Collection[str] = CODES) -> Block:
    """Return the block of a chunk, with all channels or ``only`` some. Raises one of FAULTS."""
    if data[:1] != bytes([VERSION]):
        raise ValueError(f"its encoding is {data[:1].hex() or 'none'}, not {VERSION:02x}")
    data, sum_ = data[: -_SUM.size], data[-_SUM.size :]
    if sum_ != _SUM.pack(zlib.crc32(data)):
        raise ValueError("its checksum is wrong")
    _, count, present = _HEAD.unpack_from(data)
    names = [CODES[code] for code in data[_HEAD.size : _HEAD.size + count]]
    osds = [chunk * CHUNK + slot for slot in range(CHUNK) if present >> slot & 1]
    size = len(osds)
    halves_bytes = 2 * size * (2 + BINS) * count
    whole_bytes = 4 * size * count
    body = inflated(data[_HEAD.size + count :], halves_bytes + whole_bytes)
    if len(names) != count or len(body) != halves_bytes + whole_bytes:
        raise ValueError(f"{len(body)} bytes for {size} OSDs and {count} channels")
    halves = _from_planes("H", body[:halves_bytes])
    whole = _from_planes("I", body[halves_bytes:])
    found = {}
    for place, name in enumerate(names):
        if size and name in only:
            begin = place * (2 + BINS)
            mean, peak, *bins = (
                halves[size * at : size * (at + 1)] for at in range(begin, begin + 2 + BINS)
            )
            found[name] = Columns(mean, peak, whole[size * place : size * (place + 1)], bins)
    return Block(osds, found)


def counts(values: Iterable[int]) -> array[int]:
    """Return counts as they are stored, limited to the largest storable value."""
    return array("H", [min(value, _MOST) for value in values])


def operations(values: Iterable[float]) -> array[int]:
    """Return numbers of operations as they are stored; NaN becomes UNKNOWN."""
    most = UNKNOWN - 1
    return array(
        "I", [round(v) if 0 <= v < most else most if v >= most else UNKNOWN for v in values]
    )


def _planes(values: array[int]) -> bytes:
    """Return all lowest bytes, then all next ones …: the upper bytes are similar and pack well."""
    raw, width = values.tobytes(), values.itemsize
    return b"".join(raw[place::width] for place in _places(width))


def _from_planes(kind: str, planes: bytes) -> array[int]:
    values = array(kind)
    width = values.itemsize
    raw = bytearray(len(planes))
    length = len(planes) // width
    for number, place in enumerate(_places(width)):
        raw[place::width] = planes[number * length : (number + 1) * length]
    values.frombytes(bytes(raw))
    return values


def _places(width: int) -> Sequence[int]:
    """The places of a number's bytes, lowest byte first."""
    return range(width) if sys.byteorder == "little" else range(width)[::-1]


# --- merging: adds counts, keeps maxima, weights means by operations -------------------------


def merge(blocks: Sequence[Block]) -> Block:
    """Return all blocks, which must be of one chunk, as one."""
    if len(blocks) == 1:
        return blocks[0]
    osds = blocks[0].osds
    if any(block.osds != osds for block in blocks):
        osds = sorted({osd for block in blocks for osd in block.osds})
    parts: dict[str, list[Columns]] = {}
    for block in blocks:
        for name, columns in block.channels.items():
            parts.setdefault(name, []).append(_aligned(columns, block.osds, osds))
    return Block(osds, {name: _merged(columns) for name, columns in parts.items()})


def _aligned(columns: Columns, osds: Sequence[int], wanted: Sequence[int]) -> Columns:
    """Return the columns with a position for each wanted OSD; missing OSDs have no data."""
    if osds == wanted:
        return columns
    place = {osd: number for number, osd in enumerate(osds)}
    places = [place.get(osd) for osd in wanted]

    def spread(column: array[int], nothing: int) -> array[int]:
        return array(column.typecode, [nothing if p is None else column[p] for p in places])

    (no_data,) = shrink([_NAN])
    return Columns(
        spread(columns.mean, no_data),
        spread(columns.peak, no_data),
        spread(columns.ops, 0),
        [spread(column, 0) for column in columns.bins],
    )


def _merged(parts: Sequence[Columns]) -> Columns:
    """Merge columns of the same OSDs, whole columns at a time: 20 times as fast as one by one."""
    nothing = [0.0] * len(parts[0].mean)
    totals, weights, peaks, ops = nothing, nothing, nothing, nothing
    for part in parts:
        means = [mean if mean == mean else 0.0 for mean in widen(part.mean)]
        mine = _weights(part, means)
        totals = [total + mean * weight for total, mean, weight in zip(totals, means, mine)]
        weights = list(map(add, weights, mine))
        peaks = [b if b > a else a for a, b in zip(peaks, widen(part.peak))]
        ops = [a + (_NAN if n == UNKNOWN else n) for a, n in zip(ops, part.ops)]
    return Columns(
        mean=shrink([t / w if w else _NAN for t, w in zip(totals, weights)]),
        peak=shrink([peak or _NAN for peak in peaks]),
        ops=operations(ops),
        bins=[_added([part.bins[place] for part in parts]) for place in range(BINS)],
    )


def _weights(part: Columns, means: Sequence[float]) -> list[float]:
    """Return the weight of each mean: its operations, or its frames if those are unknown."""
    frames = [sum(mine) for mine in zip(*part.bins)]
    return [
        0.0 if not mean else ops if 0 < ops != UNKNOWN else count or 1
        for mean, ops, count in zip(means, part.ops, frames)
    ]


def _added(columns: Sequence[array[int]]) -> array[int]:
    """Return the sum of the columns; most columns have only zeros."""
    there = [column for column in columns if any(column)]
    if len(there) < 2:
        return there[0] if there else columns[0]
    return counts(map(sum, zip(*there)))


def point(block: Block, osd: int, channel: str, start: int, seconds: int) -> Optional[SeriesPoint]:
    """Return the block's point of one OSD; None for "no data"."""
    columns, place = block.channels.get(channel), bisect_left(block.osds, osd)
    if columns is None or place == len(block.osds) or block.osds[place] != osd:
        return None
    mean = figure(columns.mean, place)
    if mean is None:
        return None
    bins = tuple(column[place] for column in columns.bins)
    ops = columns.ops[place] if columns.ops else UNKNOWN
    return SeriesPoint(
        start=start,
        seconds=seconds,
        mean=mean,
        maximum=figure(columns.peak, place),
        ops=None if ops == UNKNOWN else ops,
        frames=sum(bins),
        bins=bins,
    )


# --- summing up frames -----------------------------------------------------------------------

_ALL = slice(None)
# The median of a sample of this size differs from that of the cohort by a few percent of the
# spread; sorting all 10,000 would take 10 ms for each channel and frame.
_SAMPLE = 500
_UNCOMPARED, _TYPICAL, _FIRST = 0, 1, 2


class SpanTotals:
    """One channel: sum and weight of the means, and the largest mean. Zero means no data yet."""

    __slots__ = ("ops_unknown", "peak", "total", "weight")

    def __init__(self, size: int) -> None:
        self.total: Sequence[float] = array("d", bytes(8 * size))
        self.weight: Sequence[float] = array("d", bytes(8 * size))
        self.peak: Sequence[float] = array("d", bytes(8 * size))
        # Positions whose number of operations is unknown in at least one frame.
        self.ops_unknown: set[int] = set()

    def add(self, means: Sequence[float], ops: Optional[Sequence[float]]) -> None:
        """Add a frame. A mean weighs its operations, or as one if they are none or unknown."""
        ops = [_NAN] * len(means) if ops is None else ops
        weights = [o if o > 0 else 1.0 for o in ops]
        # A sum shows whether there is any NaN, faster than a test of each value.
        all_means, all_ops = sum(means), sum(ops)
        if all_ops != all_ops:
            self.ops_unknown.update(
                i for i, (m, o) in enumerate(zip(means, ops)) if o != o and m == m
            )
        if all_means != all_means:
            weights = [w if m == m else 0.0 for m, w in zip(means, weights)]
            means = [m if m == m else 0.0 for m in means]
        # Lists take half the time of arrays; ``take`` makes arrays, which take less memory.
        self.total = list(map(add, self.total, map(mul, means, weights)))
        self.weight = list(map(add, self.weight, weights))
        self.peak = [m if m > p else p for p, m in zip(self.peak, means)]

    def take(self, other: SpanTotals) -> None:
        """Add another span of the same OSDs."""
        self.total = array("d", list(map(add, self.total, other.total)))
        self.weight = array("d", list(map(add, self.weight, other.weight)))
        self.peak = array("d", [b if b > a else a for a, b in zip(self.peak, other.peak)])
        self.ops_unknown |= other.ops_unknown

    def means(self, part: slice = _ALL) -> array[int]:
        """Return the means, shrunk."""
        sums = zip(self.total[part], self.weight[part])
        return shrink([total / weight if weight else _NAN for total, weight in sums])

    def peaks(self, part: slice = _ALL) -> array[int]:
        """Return the maxima, shrunk."""
        peaks = zip(self.peak[part], self.weight[part])
        return shrink([peak if weight else _NAN for peak, weight in peaks])

    def operations(self, part: slice) -> array[int]:
        """Return the operations, as they are stored."""
        found = operations(self.weight[part])
        for place in self.ops_unknown.intersection(range(part.start, part.stop)):
            found[place - part.start] = UNKNOWN
        return found


class PeerHistogram:
    """One channel: for each OSD the number of frames by its ratio to the peers' median.

    Most frames are typical; their number is computed, not counted. A channel that is not
    ``compared`` has all frames in the first bin.
    """

    __slots__ = ("_absent", "_apart", "_frames", "_left")

    def __init__(self, size: int, compared: bool) -> None:
        self._frames = 0
        self._left = _TYPICAL if compared else _UNCOMPARED
        self._absent = array("H", bytes(2 * size))
        self._apart = {
            place: array("H", bytes(2 * size)) for place in range(BINS) if place != self._left
        }

    def add(self, values: Sequence[float], cohorts: Sequence[Sequence[int]]) -> None:
        """Add a frame; ``cohorts`` are the positions of the OSDs that are peers, if compared."""
        self._frames += 1
        for place in [place for place, value in enumerate(values) if value != value]:
            self._absent[place] += 1
        for cohort in cohorts:
            median = _median(values, cohort)
            if median is None:
                for place in cohort:
                    self._apart[_UNCOMPARED][place] += values[place] == values[place]
                continue
            first = median * RATIO_EDGES[0]
            apart = [place for place in cohort if not values[place] < first]
            edges = [median * edge for edge in RATIO_EDGES]
            for place in apart:
                value = values[place]
                if value == value:
                    self._apart[bisect_right(edges, value) + _TYPICAL][place] += 1

    def slow(self, rules: Sequence[tuple[float, int]]) -> dict[int, int]:
        """Return by position the frames in which it was slow, where a rule applies.

        A rule is (one of RATIO_EDGES, the least number of frames from this ratio on); they are in
        order of the ratio, highest first.
        """
        found: dict[int, int] = {}
        sums = [0] * len(self._absent)
        after = BINS
        for ratio, least in rules:
            bin_ = RATIO_EDGES.index(ratio) + _TYPICAL + 1
            for column in map(self._apart.__getitem__, range(bin_, after)):
                if any(column):
                    sums = list(map(add, sums, column))
            after = bin_
            found.update((place, count) for place, count in enumerate(sums) if count >= least)
        return found

    def columns(self, part: slice) -> list[array[int]]:
        """Return the counts by bin."""
        apart = {place: column[part] for place, column in self._apart.items()}
        left = [self._frames - absent for absent in self._absent[part]]
        for column in apart.values():
            if any(column):
                left = [a - b for a, b in zip(left, column)]
        apart[self._left] = counts(left)
        return [apart[place] for place in range(BINS)]


def _median(values: Sequence[float], cohort: Sequence[int]) -> Optional[float]:
    """Return the lower median of a cohort; None if fewer than two have data, or if it is zero.

    It is the lower one so that of two OSDs the faster is the reference.
    """
    step = len(cohort) // _SAMPLE + 1
    there = _sorted(values, cohort[::step])
    if step > 1 and len(there) < _SAMPLE // 4:
        there = _sorted(values, cohort)
    if len(there) < 2:
        return None
    return there[(len(there) - 1) // 2] or None


def _sorted(values: Sequence[float], places: Sequence[int]) -> list[float]:
    return sorted([value for value in map(values.__getitem__, places) if value == value])


def cohorts_of(roster: Roster) -> list[list[int]]:
    """Return the positions of a roster's OSDs, by cohort."""
    found: dict[str, list[int]] = {}
    for place, member in enumerate(roster.members):
        found.setdefault(member.cohort, []).append(place)
    return list(found.values())


def columns_of(sums: SpanTotals, standing: PeerHistogram, part: slice) -> Columns:
    """Return a span's figures as they are stored, for the OSDs in ``part``."""
    return Columns(
        sums.means(part), sums.peaks(part), sums.operations(part), standing.columns(part)
    )
