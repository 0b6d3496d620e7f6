"""Encodes a chunk of OSDs over one span as bytes, decodes it, and merges spans into longer ones.

Latencies are stored as the upper half of a float32: 8 bits of mantissa, which is a step of 0.4 to
0.8 % at any size, and NaN ("no data") stays NaN. The conversion is a copy in C. Logarithms would
take 15 ms for 10,000 OSDs and five channels.
"""

# ruff: noqa: PLR0124 - x == x is False for NaN

from __future__ import annotations

import math
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Optional

from ..model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT, QUEUE, READ
from ..model.history import BINS, CHUNK, LOAD, SeriesPoint
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


class Damaged(ValueError):
    """Raised for bytes that cannot be decoded."""


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
    """Return the block of a chunk, with all channels or ``only`` some. Raises Damaged."""
    if data[:1] != bytes([VERSION]):
        raise Damaged(f"its encoding is {data[:1].hex() or 'none'}, not {VERSION:02x}")
    data, sum_ = data[: -_SUM.size], data[-_SUM.size :]
    if sum_ != _SUM.pack(zlib.crc32(data)):
        raise Damaged("its checksum is wrong")
    try:
        _, count, present = _HEAD.unpack_from(data)
        codes = data[_HEAD.size : _HEAD.size + count]
        names = [CODES[code] for code in codes]
        osds = [chunk * CHUNK + slot for slot in range(CHUNK) if present >> slot & 1]
        size = len(osds)
        halves_bytes = 2 * size * (2 + BINS) * count
        body = inflated(data[_HEAD.size + count :], halves_bytes + 4 * size * count)
    except (struct.error, IndexError, ValueError, zlib.error) as error:
        raise Damaged(str(error)) from error
    if len(names) != count or len(body) != halves_bytes + 4 * size * count:
        raise Damaged(f"{len(body)} bytes for {size} OSDs and {count} channels")
    halves = _from_planes("H", body[:halves_bytes])
    whole = _from_planes("I", body[halves_bytes:])
    wanted = [name for name in names if size and name in only]
    return Block(osds, {name: _cut(halves, whole, names.index(name), size) for name in wanted})


def _cut(halves: array[int], whole: array[int], place: int, size: int) -> Columns:
    """Return the columns of the channel at a position."""
    each = 2 + BINS
    columns = [
        halves[at : at + size] for at in range(place * each * size, (place + 1) * each * size, size)
    ]
    ops = whole[place * size : (place + 1) * size]
    return Columns(columns[0], columns[1], ops, columns[2:])


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
    if sys.byteorder != "little":
        values = values[:]
        values.byteswap()
    raw = values.tobytes()
    return b"".join(raw[place :: values.itemsize] for place in range(values.itemsize))


def _from_planes(kind: str, planes: bytes) -> array[int]:
    values = array(kind)
    width = values.itemsize
    raw = bytearray(len(planes))
    length = len(planes) // width
    for place in range(width):
        raw[place::width] = planes[place * length : (place + 1) * length]
    values.frombytes(bytes(raw))
    if sys.byteorder != "little":
        values.byteswap()
    return values


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
        peaks = [b if b > a else a for a, b in zip(peaks, widen(part.peak))]  # noqa: FURB136
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
