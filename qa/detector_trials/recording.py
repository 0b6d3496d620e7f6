"""A trace as matrices, for what needs all of it at once: other systems' rules, injected faults."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster

from .frames import frames
from .trace import read

Matrix = NDArray[Any]


@dataclass(frozen=True)
class Recording:
    """Latency and load of all members over time: ``(frames, members)``, NaN for no data.

    ``starts`` are unix seconds, ascending; there may be gaps.
    """

    roster: Roster
    starts: Matrix
    latency: Matrix
    load: Matrix

    @classmethod
    def load_file(cls, path: Path) -> Recording:
        """A trace of means; raises TraceError."""
        with tempfile.TemporaryDirectory(prefix="perf-bench-") as folder:
            trace = read(path, Path(folder))
            starts, latency, load = [], [], []
            for frame in frames(trace.spool.rows(), trace.layout, trace.roster):
                starts.append(frame.start)
                latency.append(np.array(frame.latency[COMMIT], dtype=np.float32))
                load.append(np.array(frame.load, dtype=np.float32))
        return cls(trace.roster, np.array(starts), np.array(latency), np.array(load))

    def frames(self) -> Iterator[Frame]:
        """As the detector takes them."""
        count = len(self.roster.members)
        nothing, unmarked = [float("nan")] * count, [0] * count
        for start, latency, load in zip(self.starts.tolist(), self.latency, self.load):
            yield Frame(
                start=start,
                end=start + FRAME_SECONDS,
                roster=self.roster,
                latency={COMMIT: latency.tolist()},
                ops={COMMIT: nothing},
                load=load.tolist(),
                marks=unmarked,
            )

    def with_latency(self, latency: Matrix) -> Recording:
        return replace(self, latency=latency)

    def until(self, end: float) -> Recording:
        """What lies before that time."""
        kept = self.starts < end
        return Recording(self.roster, self.starts[kept], self.latency[kept], self.load[kept])

    def only(self, members: Sequence[int]) -> Recording:
        """With these members alone, in this order and numbered anew."""
        kept = tuple(
            replace(self.roster.members[member], osd=number)
            for number, member in enumerate(members)
        )
        return Recording(Roster(kept), self.starts, self.latency[:, members], self.load[:, members])

    def hosts(self) -> Mapping[str, list[int]]:
        """The members of each host."""
        found: dict[str, list[int]] = {}
        for place, member in enumerate(self.roster.members):
            found.setdefault(member.host, []).append(place)
        return found

    def means(self, seconds: float) -> Matrix:
        """Each member's mean latency over each span that has data, by time."""
        _, first = np.unique(self.starts // seconds, return_index=True)
        known = ~np.isnan(self.latency)
        sums = np.add.reduceat(np.where(known, self.latency, 0.0), first, axis=0, dtype=float)
        counts = np.add.reduceat(known, first, axis=0, dtype=float)
        return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
