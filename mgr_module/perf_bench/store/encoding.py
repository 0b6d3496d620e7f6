"""A chunk of OSDs over one span as bytes, and back.

Latencies keep the upper half of their float32: 8 bits of mantissa, so a step of 0.4 to 0.8 % at
any size, and "no data" (NaN) stays what it is. The conversion is a copy in C, where a logarithm a
figure would be 15 ms for 10,000 OSDs and five channels.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..model.frame import CHANNELS
from ..model.history import BINS, LOAD

VERSION = 1
# OSD IDs that share a row: one OSD's day at 5 min is then 288 rows of about 3 KiB, 10,000 OSDs
# are 157 rows every 5 min.
CHUNK = 64
# Operations that are not known; one less is the largest number that can be told.
UNKNOWN = 0xFFFFFFFF
_MOST = 0xFFFF

_HEAD = struct.Struct("<BBQ")  # version, channels, which of the chunk's OSDs
_SUM = struct.Struct("<I")  # CRC-32 of all before it
# All channels. The order is part of the encoding: new ones go to the end.
CODES = (*CHANNELS, LOAD)
_UPPER = 1 if sys.byteorder == "little" else 0
_MIDDLE = 0x8000  # of a step: what was cut off was between 0 and 0xFFFF
_ZERO = 1e-37  # the middle of the step that zero is in is not zero


class Damaged(ValueError):
    """Bytes that are not what they should be."""


@dataclass
class Columns:
    """One channel of a chunk's OSDs, each figure at its OSD's place.

    ``mean`` and ``peak`` as ``shrink`` makes them. ``bins`` are BINS columns of counts.
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
    """The upper half of each float32."""
    halves = array("H")
    halves.frombytes(array("f", values).tobytes())
    return halves[_UPPER::2]


def widen(codes: array[int]) -> array[float]:
    """The middle of each step that ``shrink`` had cut to; NaN stays NaN."""
    halves = array("H", [_MIDDLE]) * (2 * len(codes))
    halves[_UPPER::2] = codes
    values = array("f")
    values.frombytes(halves.tobytes())
    return values


def figure(codes: array[int], place: int) -> Optional[float]:
    """The figure at that place; None for "no data"."""
    (value,) = widen(codes[place : place + 1])
    if math.isnan(value):
        return None
    return value if value > _ZERO else 0.0


def pack(block: Block) -> bytes:
    """The block as bytes; all of its OSDs are of one chunk."""
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
    """The block of that chunk, with all channels or ``only`` some. Raises Damaged."""
    if data[:1] != bytes([VERSION]):
        raise Damaged(f"its encoding is {data[:1].hex() or 'none'}, not {VERSION:02x}")
    data, sum_ = data[: -_SUM.size], data[-_SUM.size :]
    if sum_ != _SUM.pack(zlib.crc32(data)):
        raise Damaged("its checksum is wrong")
    try:
        _, count, present = _HEAD.unpack_from(data)
        codes = data[_HEAD.size : _HEAD.size + count]
        names = [CODES[code] for code in codes]
        body = zlib.decompress(data[_HEAD.size + count :])
    except (struct.error, IndexError, zlib.error) as error:
        raise Damaged(str(error)) from error
    osds = [chunk * CHUNK + slot for slot in range(CHUNK) if present >> slot & 1]
    size = len(osds)
    halves_bytes = 2 * size * (2 + BINS) * count
    if len(names) != count or len(body) != halves_bytes + 4 * size * count:
        raise Damaged(f"{len(body)} bytes for {size} OSDs and {count} channels")
    halves = _from_planes("H", body[:halves_bytes])
    whole = _from_planes("I", body[halves_bytes:])
    wanted = [name for name in names if size and name in only]
    return Block(osds, {name: _cut(halves, whole, names.index(name), size) for name in wanted})


def _cut(halves: array[int], whole: array[int], place: int, size: int) -> Columns:
    """The columns of the channel at that place."""
    each = 2 + BINS
    columns = [
        halves[at : at + size] for at in range(place * each * size, (place + 1) * each * size, size)
    ]
    ops = whole[place * size : (place + 1) * size]
    return Columns(columns[0], columns[1], ops, columns[2:])


def counts(values: Iterable[int]) -> array[int]:
    """Counts as they are stored; what does not fit is told as the largest that does."""
    return array("H", [min(value, _MOST) for value in values])


def operations(values: Iterable[float]) -> array[int]:
    """Numbers of operations as they are stored; NaN is "not known"."""
    most = UNKNOWN - 1
    return array(
        "I", [round(v) if 0 <= v < most else most if v >= most else UNKNOWN for v in values]
    )


def _planes(values: array[int]) -> bytes:
    """All lowest bytes, then the next ones …: upper ones are much alike and pack well."""
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
