"""The labelled fail-slow traces as frames, and faults put into them. Data stays outside."""

from __future__ import annotations

import csv
import lzma
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from perf_bench.model.frame import COMMIT, FRAME_SECONDS, Frame, Roster, Watched

NAN = math.nan
# Changes the latencies of one frame, in place; gets the number of the frame too.
Fault = Callable[[int, "array[float]"], None]


@dataclass(frozen=True)
class Trace:
    """All drives of a cluster: rows of latency and load in the order of ``roster``."""

    roster: Roster
    times: Sequence[float]
    latency: Sequence[array[float]]
    load: Sequence[array[float]]
    slow: frozenset[int]  # as labelled

    def frames(self, fault: Optional[Fault] = None, first: int = 0) -> Iterator[Frame]:
        """In order; only the means are known, as in the recording."""
        marks = [0] * len(self.roster.members)
        for at in range(first, len(self.times)):
            latency = self.latency[at]
            if fault:
                latency = array("d", latency)
                fault(at, latency)
            start = self.times[at]
            end = start + FRAME_SECONDS
            yield Frame(start, end, self.roster, {COMMIT: latency}, {}, self.load[at], marks)

    def only(self, osds: Sequence[int]) -> Trace:
        """The same with some of the drives."""
        members = tuple(self.roster.members[osd] for osd in osds)
        return Trace(
            Roster(members),
            self.times,
            [array("d", [row[osd] for osd in osds]) for row in self.latency],
            [array("d", [row[osd] for osd in osds]) for row in self.load],
            self.slow & frozenset(osds),
        )

    def hosts(self) -> dict[str, list[int]]:
        """The drives of each host."""
        found: dict[str, list[int]] = {}
        for member in self.roster.members:
            found.setdefault(member.host, []).append(member.osd)
        return found


def read(folder: Path, cluster: str) -> Trace:
    """One cluster; its drives become OSDs in the order of host and disk."""
    rows: dict[int, dict[tuple[str, str], tuple[float, float]]] = {}
    with lzma.open(folder / f"cluster_{cluster}.csv.xz", "rt") as file:
        lines = csv.reader(file)
        next(lines)
        for ts, host, disk, load, latency in lines:
            rows.setdefault(int(ts), {})[host, disk] = (float(latency), float(load))
    drives = sorted({drive for row in rows.values() for drive in row}, key=_natural)
    roster = Roster(
        tuple(Watched(at, f"osd.{at}", host, "drive") for at, (host, _) in enumerate(drives))
    )
    times = sorted(rows)
    nothing = (NAN, NAN)
    latency_rows, load_rows = [], []
    for time in times:
        row = rows.pop(time)
        both = [row.get(drive, nothing) for drive in drives]
        latency_rows.append(array("d", [own if own > 0 else NAN for own, _ in both]))
        load_rows.append(array("d", [load for _, load in both]))
    return Trace(roster, times, latency_rows, load_rows, _labels(folder, cluster, drives))


def _natural(drive: tuple[str, str]) -> tuple[int, int]:
    host, disk = drive
    return int(host.rpartition("_")[2]), int(disk.removeprefix("disk"))


def _labels(folder: Path, cluster: str, drives: Sequence[tuple[str, str]]) -> frozenset[int]:
    with (folder / "labels.csv").open() as file:
        rows = [row for row in csv.reader(file) if row[0] == cluster]
    return frozenset(drives.index((host, disk)) for _, host, disk in rows)
