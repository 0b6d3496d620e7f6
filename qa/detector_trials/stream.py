"""Frames through a pipe: who makes them needs numpy, who judges them does not."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, Any

from perf_bench.model.finding import Frame, Roster

_HEAD = struct.Struct("<dd")


def put(out: IO[bytes], frame: Frame) -> None:
    """Write one frame; all frames of a stream have the same roster and channels."""
    out.write(_HEAD.pack(frame.start, frame.end))
    for channel, latency in frame.latency.items():
        out.write(_bytes("f", latency))
        out.write(_bytes("f", frame.ops[channel]))
    out.write(_bytes("f", frame.load))
    out.write(_bytes("H", frame.marks))


def _bytes(kind: str, values: Any) -> bytes:
    """Of a list, or of one of numpy's arrays."""
    if hasattr(values, "astype"):
        return bytes(values.astype(kind).tobytes())
    return array(kind, values).tobytes()


def frames_from(source: IO[bytes], roster: Roster, channels: tuple[str, ...]) -> Iterator[Frame]:
    """The frames until the pipe is closed."""
    count = len(roster.members)

    def column(kind: str) -> Sequence[Any]:
        values = array(kind)
        values.fromfile(source, count)
        return list(values)  # PyPy takes six times as long for tolist()

    while True:
        head = source.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        start, end = _HEAD.unpack(head)
        both = {channel: (column("f"), column("f")) for channel in channels}
        yield Frame(
            start=start,
            end=end,
            roster=roster,
            latency={channel: latency for channel, (latency, _) in both.items()},
            ops={channel: ops for channel, (_, ops) in both.items()},
            load=column("f"),
            marks=column("H"),
        )
