"""Clusters that do not exist, calibrated to what was measured on real ones.

ln latency = class + generation + host + drive + slope x (ln load - ln usual load)
           + the host's noise + the drive's noise + what goes on in the background + faults

Same seed, same frames.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster, Watched

from .background import Background
from .faults import Fault

Array = NDArray[Any]
BEGAN = 1_790_000_000.0 // 900 * 900
DAY = 86400.0
_WEEK = 7 * DAY


@dataclass(frozen=True)
class Kind:
    """How drives of one class behave; spreads are standard deviations of ln latency.

    ``noise`` and ``memory`` are a drive's residual at 15 s and its autocorrelation there;
    ``wander`` is what makes its 15-minute means differ more than that noise explains; ``between``
    is how far daily medians of equal drives lie apart. ``bytes`` is the usual load of one drive
    in bytes/s, ``operation`` the size of one.
    """

    name: str
    seconds: float
    noise: float
    memory: float
    wander: float
    between: float
    host_noise: float
    host_memory: float
    slope: float
    load_noise: float
    bytes: float
    operation: float


# From the four clusters of the trace ("What the data looks like"), with Ceph's latencies.
QUIET = Kind("nvme", 0.1e-3, 0.052, 0.28, 0.006, 0.016, 0.049, 0.71, 0.22, 0.11, 200e6, 64e3)
BLOCK = Kind("ssd", 0.7e-3, 0.113, 0.53, 0.040, 0.030, 0.064, 0.56, 0.06, 0.28, 60e6, 32e3)
COMMERCE = Kind("hdd", 10e-3, 0.126, 0.45, 0.032, 0.022, 0.082, 0.73, 0.35, 0.25, 20e6, 128e3)
NOISY = Kind("hdd-noisy", 12e-3, 0.447, 0.32, 0.054, 0.059, 0.306, 0.49, 0.30, 0.36, 20e6, 128e3)
# Shares of the hosts.
MIX = ((COMMERCE, 0.4), (NOISY, 0.1), (QUIET, 0.2), (BLOCK, 0.3))


@dataclass(frozen=True)
class Spec:
    """What to simulate. ``mix`` is the share of hosts of each kind.

    ``seconds`` is the span of a frame. ``background`` switches scrub, recovery, compaction,
    restarts, new hosts, failovers and stretched reports.
    """

    osds: int
    seed: int
    kinds: Sequence[tuple[Kind, float]] = MIX
    per_host: int = 24
    hosts_per_rack: int = 16
    channels: Sequence[str] = (COMMIT,)
    seconds: float = FRAME_SECONDS
    background: bool = True
    faults: Sequence[Fault] = field(default=())


class Simulation:
    """The frames of a cluster, one after the other, for as long as they are asked for."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._rng = np.random.default_rng(spec.seed)
        self._hosts = -(-spec.osds // spec.per_host)
        self._host = np.arange(spec.osds) // spec.per_host
        self._kind_of_host = self._kinds()
        self.roster = Roster(tuple(map(self._watched, range(spec.osds))))
        self._settle()
        self._background = (
            Background(self._rng, self._host, spec.seconds) if spec.background else None
        )
        self._previous: dict[str, Array] = {}

    def frames(self, days: float) -> Iterator[Frame]:
        """So many days; frames that a mgr failover swallowed are missing."""
        return map(self._plain, self.arrays(days))

    def arrays(self, days: float) -> Iterator[Frame]:
        """The same with numpy's arrays for lists: what goes through a pipe needs no lists."""
        step = self.spec.seconds
        for number in range(round(days * DAY / step)):
            start = BEGAN + number * step
            frame = self._frame(start, start + step)
            if frame is not None:
                yield frame

    # --- what stays ---

    def _kinds(self) -> list[Kind]:
        """A kind for each host, by the shares."""
        kinds = [kind for kind, _ in self.spec.kinds]
        shares = np.array([share for _, share in self.spec.kinds])
        edges = np.cumsum(shares / shares.sum()) * self._hosts
        return [kinds[int(np.searchsorted(edges, host + 0.5))] for host in range(self._hosts)]

    def _watched(self, osd: int) -> Watched:
        host = osd // self.spec.per_host
        return Watched(
            osd=osd,
            name=f"osd.{osd}",
            host=f"host-{host:04}",  # in the detector's order, which costs it less
            cohort=self._kind_of_host[host].name,
            rack=f"rack-{host // self.spec.hosts_per_rack}",
        )

    def _of(self, name: str) -> Array:
        """A figure of the kind of each OSD."""
        by_host = np.array([getattr(kind, name) for kind in self._kind_of_host])
        return by_host[self._host].astype(np.float32)

    def _settle(self) -> None:
        rng, count = self._rng, self.spec.osds
        # One host in seven is of another generation of hardware that nobody told us of.
        older = rng.random(self._hosts) < 0.15 if self._hosts >= 7 else np.zeros(self._hosts)
        host = rng.normal(0, 0.02, self._hosts) + 0.32 * older
        self._level = (
            np.log(self._of("seconds"))
            + host[self._host]
            + rng.normal(0, 1, count) * self._of("between")
        ).astype(np.float32)
        self._share = (rng.normal(0, 0.25, count)).astype(np.float32)  # imbalance
        # Two in a hundred hardly work at all: few operations, so what they show is a game of dice.
        self._idle = rng.random(count) < 0.02
        self._share[self._idle] -= 6.5
        self._slope, self._memory = self._of("slope"), self._of("memory")
        self._usual, self._operation = self._of("bytes"), self._of("operation")
        # Over a longer frame the fast noise averages out, as far as its memory lets it.
        samples = max(1, round(self.spec.seconds / FRAME_SECONDS))
        self._fast = self._of("noise") * _averaged(self._memory, samples)
        self._memory = self._memory**samples
        self._host_memory = self._of("host_memory")[:: self.spec.per_host] ** samples
        self._host_fast = self._of("host_noise")[:: self.spec.per_host]
        self._wander = self._of("wander")
        self._noise = {c: np.zeros(count, dtype=np.float32) for c in self.spec.channels}
        self._wandered = rng.normal(0, 1, count).astype(np.float32)
        self._host_state = np.zeros(self._hosts, dtype=np.float32)
        self._load_state = np.zeros(count, dtype=np.float32)
        self._load_noise = self._of("load_noise")

    # --- what moves ---

    def _frame(self, start: float, end: float) -> Frame | None:
        self._move()
        day = 2 * math.pi * (start % DAY) / DAY
        weekend = start % _WEEK >= 5 * DAY
        tide = 0.8 * math.sin(day) - 0.5 * weekend  # 5 to 1 from peak to trough
        load = self._share + tide + self._load_state * self._load_noise
        marks = np.zeros(self.spec.osds, dtype=np.int64)
        base = self._level + self._slope * load + self._host_part()
        base += self._wandered * self._wander
        lost, missing, stretched = False, None, False
        if self._background:
            now = self._background.step(start, marks)
            base, load = base + now.latency, load + now.load
            lost, missing, stretched = now.lost, now.missing, now.stretched
        bytes_ = self._usual * np.exp(load)
        ops = np.floor(bytes_ / self._operation * self.spec.seconds)
        latency = {c: self._latency(c, base, ops, start, missing) for c in self.spec.channels}
        if stretched:
            latency = {c: (now + self._previous.get(c, now)) / 2 for c, now in latency.items()}
        self._previous = latency
        if lost:
            return None
        ops_of: dict[str, Any] = dict.fromkeys(latency, ops)
        return Frame(start, end, self.roster, latency, ops_of, bytes_, marks)  # type: ignore[arg-type]

    @staticmethod
    def _plain(frame: Frame) -> Frame:
        """With lists."""
        arrays: Any = frame
        counted = {id(ops): ops.tolist() for ops in arrays.ops.values()}
        return replace(
            frame,
            latency={channel: values.tolist() for channel, values in arrays.latency.items()},
            ops={channel: counted[id(ops)] for channel, ops in arrays.ops.items()},
            load=arrays.load.tolist(),
            marks=arrays.marks.tolist(),
        )

    def _move(self) -> None:
        rng, count = self._rng, self.spec.osds
        for noise in self._noise.values():
            _autoregress(noise, self._memory, _tailed(rng, count))
        _autoregress(self._host_state, self._host_memory, _normal(rng, self._hosts))
        _autoregress(self._load_state, np.float32(0.6), _normal(rng, count))
        # It takes two hours to wander off.
        keep = np.float32(math.exp(-self.spec.seconds / 7200))
        _autoregress(self._wandered, keep, _normal(rng, count))

    def _host_part(self) -> Array:
        return (self._host_state * self._host_fast)[self._host]

    def _latency(
        self, channel: str, base: Array, ops: Array, start: float, missing: Array | None
    ) -> Array:
        values = base + self._noise[channel] * self._fast
        few = self._idle
        # The mean of n operations whose latencies vary twice as much as their mean.
        values[few] += 2 / np.sqrt(np.maximum(ops[few], 1)) * _normal(self._rng, int(few.sum()))
        for fault in self.spec.faults:
            fault.apply(values, channel, start - BEGAN, self.spec.seconds)
        found: Array = np.exp(values, dtype=np.float32)
        found[ops < 1] = np.nan
        if missing is not None:
            found[missing] = np.nan
        return found


def _averaged(memory: Array, samples: int) -> Array:
    """What is left of an autoregressive noise's standard deviation in means of so many."""
    lags = np.arange(1, samples)
    inner = sum(2 * (samples - lag) * memory**lag for lag in lags) if samples > 1 else 0.0
    found: Array = np.sqrt((samples + inner) / samples**2)
    return found


def _autoregress(state: Array, memory: Array | np.float32, shock: Array) -> None:
    """One step of a noise of standard deviation 1, in place."""
    state *= memory
    state += np.sqrt(1 - memory**2) * shock


def _normal(rng: np.random.Generator, count: int) -> Array:
    return rng.standard_normal(count, dtype=np.float32)


def _tailed(rng: np.random.Generator, count: int) -> Array:
    """Of standard deviation 1, with a 99.9th percentile at 4 robust sigmas, as measured.

    One value in twenty comes from a distribution twice as wide.
    """
    values = _normal(rng, count)
    wide = rng.integers(0, count, count // 20)
    values[wide] *= 2.2
    values /= np.float32(math.sqrt(1 + 0.05 * (2.2**2 - 1)))
    return values
