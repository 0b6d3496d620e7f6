"""OSDs' counters as lists of points, and OSDs that report every period."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from perf_bench.model.cluster import Columns, CounterPoint, RawPoint

# As the mgr keeps them.
RING = 20
COMMITS = "bluestore.txc_commit_lat"
READS = "bluestore.read_lat"
WHOLE, PROCESS = "osd.op_latency", "osd.op_process_latency"
CLIENT_READS, CLIENT_WRITES = "osd.op_r_latency", "osd.op_w_latency"
INTO, OUT = "osd.op_in_bytes", "osd.op_out_bytes"
RECOVERY = "osd.recovery_ops"
AVERAGES = (COMMITS, READS, WHOLE, PROCESS, CLIENT_READS, CLIENT_WRITES)
ALL = (*AVERAGES, INTO, OUT, RECOVERY)


class FakeCounters:
    """The Counters port. An OSD has sent what ``report`` was told; a name not sent raises."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []
        self._rings: dict[int, dict[str, deque[CounterPoint]]] = {}

    def names(self, osd: int) -> frozenset[str]:
        return frozenset(self._rings.get(osd, ()))

    def columns(self, _name: str, raw: Sequence[RawPoint]) -> Columns:
        stamps, sums, numbers = zip(*raw) if raw else ((), (), ())
        return stamps, sums, numbers

    def raw(self, osd: int, name: str) -> Sequence[CounterPoint]:
        self.asked.append((osd, name))
        if osd not in self._rings:
            return []
        return list(self._rings[osd][name])

    def report(self, osd: int, at: float, values: Mapping[str, tuple[float, int]]) -> None:
        """A report that arrived then, with each counter's sum (or value) and number."""
        rings = self._rings.setdefault(osd, {})
        for name, (total, count) in values.items():
            rings.setdefault(name, deque(maxlen=RING)).append((at, total, count))

    def forget(self, osd: int) -> None:
        """What the mgr does when an OSD opens a new session."""
        self._rings.pop(osd, None)


class Pulse:
    """One OSD under a constant load, which grows its counters as the time passes.

    ``latency`` is by counter the mean in seconds, ``rate`` operations/s of each.
    """

    def __init__(self, osd: int, names: Iterable[str] = ALL, rate: float = 10.0) -> None:
        self.osd = osd
        self.rate = rate
        self.latency = dict.fromkeys(AVERAGES, 0.010) | {PROCESS: 0.008}
        self.bytes = {INTO: 4096.0, OUT: 8192.0, RECOVERY: 0.0}
        self._names = tuple(names)
        self._totals = dict.fromkeys(self._names, (0.0, 0))

    def live(self, seconds: float) -> None:
        """Do the work of this long."""
        ops = round(self.rate * seconds)
        for name in self._names:
            total, count = self._totals[name]
            if name in self.latency:
                self._totals[name] = total + ops * self.latency[name], count + ops
            else:
                self._totals[name] = total + ops * self.bytes[name], 0

    def restart(self) -> None:
        self._totals = dict.fromkeys(self._names, (0.0, 0))

    def report(self, counters: FakeCounters, at: float) -> None:
        counters.report(self.osd, at, self._totals)
