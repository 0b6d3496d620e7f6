"""Frames through a pipe: who makes them needs numpy, who judges them does not."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, Any

from perf_bench.model.frame import Frame, Roster

_HEAD = struct.Struct("<dd")


def put(out: IO[bytes], frame: Frame) -> None:
    """Write one frame; all frames of a stream have the same roster and channels."""
    out.write(_HEAD.pack(frame.start, frame.end))
    for channel, latency in frame.latency.items():
        out.write(array("f", latency).tobytes())
        out.write(array("f", frame.ops[channel]).tobytes())
    out.write(array("f", frame.load).tobytes())
    out.write(array("H", frame.marks).tobytes())


def frames_from(source: IO[bytes], roster: Roster, channels: tuple[str, ...]) -> Iterator[Frame]:
    """The frames until the pipe is closed."""
    count = len(roster.members)

    def column(kind: str) -> Sequence[Any]:
        values = array(kind)
        values.fromfile(source, count)
        return values.tolist()

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
