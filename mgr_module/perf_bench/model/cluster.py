"""The cluster as it is read and written to by more than one folder; each has a fake in the tests.

Every call that may wait has a time limit, stated at the method, after which it raises. With how
often it is read, and how much of it at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import is_not
from typing import Any, Callable, Generic, NamedTuple, Optional, Protocol, TypeVar

from .finding import Severity
from .history import Work
from .osd import Member, Osd, Wal
from .plan import BenchLimits

# A point of a counter: unix seconds, then the total latency in seconds and the number of
# operations; of a plain counter its value and 0.
CounterPoint = tuple[float, float, int]
# The same of several points: their stamps, their sums (or values) and their numbers.
Columns = tuple[Sequence[float], Sequence[float], Sequence[int]]
# A point that is not converted: the stamp, then what the mgr has of this kind of counter.
RawPoint = Sequence[Any]


class Cluster(Protocol):
    """The mgr's maps of the cluster; no daemon is asked."""

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; at most ``max_age`` seconds old, 0 reads the maps now."""

    def down(self, osds: Sequence[int]) -> set[int]:
        """Those of the given OSDs that are not up at this moment; cheap enough to poll."""

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest ``osd_bench_*`` options among these OSDs."""

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """The write-ahead logs of these OSDs, from their metadata."""

    def bench_copies(self) -> int:
        """The number of copies of an object in the bench pool."""

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """The properties that decide whether results of these OSDs are comparable (JSON-ready)."""


class Members(Protocol):
    """The watched OSDs."""

    def members(self, max_age: float = 0.0) -> Sequence[Member]:
        """All OSDs by ID, at most ``max_age`` seconds old; the same object while unchanged."""


class Counters(Protocol):
    """The performance counters that OSDs have sent to the mgr. No daemon is asked."""

    def names(self, osd: int) -> frozenset[str]:
        """The counters that this OSD sends, e.g. ``osd.op_r_latency``. Takes 0.5 ms.

        Do not read others: a counter that is not sent reads as 0 from the mgr.
        """

    def raw(self, osd: int, name: str) -> Sequence[RawPoint]:
        """The newest points, oldest first: up to 20, one per report (5 s, or what it is now).

        As the mgr has them, for ``columns``; each begins with its stamp. Empty when the OSD has
        sent none. About 5 us.
        """

    def columns(self, name: str, raw: Sequence[RawPoint]) -> Columns:
        """The stamps, sums and numbers of these points: most need not be converted."""


class BenchSpans(Protocol):
    """The times of our own benches on OSDs."""

    def during(self, since: float, until: float) -> set[int]:
        """The OSDs on which a bench ran at some time between the two (unix seconds)."""


class OsdEpochs(NamedTuple):
    """The epochs of the OSD map in which an OSD last came up and last went down; 0 for never."""

    up_from: int
    down_at: int


class UpDownChanges(NamedTuple):
    """The map's ``epoch``, and by OSD the epochs of those that went up or down."""

    epoch: int
    osds: Mapping[int, OsdEpochs]


class PgStates(Protocol):
    """Counts of placement groups (PGs) by state."""

    def by_state(self) -> Mapping[str, int]:
        """The number of PGs in each state, e.g. ``active+clean+laggy``; takes constant time."""

    def work(self) -> Work:
        """What clients and recovery do, as the newest ``by_state`` was read; None: not yet."""

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        """The number of PGs in each state, by pool name; takes constant time."""

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        """By OSD the number of PGs of each state with it in their acting set. Takes 1 us a PG."""


def pgs_with(states: Mapping[str, int], word: str) -> int:
    """Return the number of PGs with this word in their state; ``recovery_wait`` is not ``wait``."""
    return sum(pgs for state, pgs in states.items() if _has(state, word))


@lru_cache(maxsize=4096)
def _has(state: str, word: str) -> bool:
    """Whether a state contains the word. Cached: a cluster has a few dozen states.

    Of a stale PG all OSDs are down: its other words are of before, so it has none of them.
    """
    words = state.split("+")
    return word in words and (word == "stale" or "stale" not in words)


class OsdHealth(Protocol):
    """Reports of all OSDs that the cluster has."""

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        """By OSD commit and apply latency in seconds, as ``ceph osd perf`` shows them."""

    def slow_ops(self) -> Mapping[int, int]:
        """By OSD its number of slow operations; OSDs without any are left out."""


class Notifier(Protocol):
    """The module's health checks and lines in the cluster log."""

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks, by code, as ``set_health_checks`` takes them."""

    def log(self, severity: Severity, line: str) -> None:
        """Write a line to the cluster log."""


# --- Which mgr has which files of the module, as the monitors know it ---


MODULE = "perf_bench"
BUILD_OPTION = "module_build"
# The monitors' key in which the active module writes its build.
MARK_KEY = f"mgr/{MODULE}/installed"


class MgrBuild(NamedTuple):
    """``build`` is None where the mgr has no module; ``error`` says why it cannot run it."""

    name: str
    is_active: bool
    build: Optional[str]
    error: str = ""


def mgr_builds(mgr_map: Mapping[str, Any]) -> list[MgrBuild]:
    """All mgrs of the cluster, the active one first. Raises KeyError, TypeError."""
    found = []
    if mgr_map["active_name"]:
        modules = mgr_map["available_modules"]
        found.append(MgrBuild(str(mgr_map["active_name"]), True, *_build(modules)))
    standbys = sorted(mgr_map["standbys"], key=lambda one: str(one["name"]))
    return found + [
        MgrBuild(str(one["name"]), False, *_build(one["available_modules"])) for one in standbys
    ]


def _build(modules: Sequence[Mapping[str, Any]]) -> tuple[Optional[str], str]:
    for module in modules:
        if module["name"] == MODULE:
            option = module["module_options"].get(BUILD_OPTION, {})
            error = "" if module["can_run"] else str(module["error_string"])
            return str(option.get("default_value", "of a version before 0.1.0")), error
    return None, ""


# --- How often periodic work is done, and how much at once ---


T = TypeVar("T")

# A full pass over all OSDs takes about a minute, 12 ticks of 5 s: well within the 100 s of points
# that the mgr keeps.
_LEAST_SLICE = 500
_PASS_SECONDS, _TICK_SECONDS = 60.0, 5.0


class Every:
    """A timer: ``is_due`` is True at most once in ``seconds``. Times are monotonic."""

    def __init__(self, seconds: float, first: float = 0.0) -> None:
        """``first`` is the time from which on it is due for the first time."""
        self._seconds = seconds
        self._due = first

    def is_due(self, now: float) -> bool:
        """Whether the work is due; if so, it is due again ``seconds`` later."""
        if now < self._due:
            return False
        self._due = now + self._seconds
        return True


class Kept(Generic[T]):
    """The newest answer of ``read``, for those who need none that is newer."""

    def __init__(self, read: Callable[[], T], monotonic: Callable[[], float]) -> None:
        self._read = read
        self._monotonic = monotonic
        self._answer: Optional[tuple[float, T]] = None

    def get(self, max_age: float) -> T:
        """The answer, at most ``max_age`` seconds old; what ``read`` raises leaves the one before.

        May be called from any thread; several that come at once may each read.
        """
        now, kept = self._monotonic(), self._answer
        if kept is None or now - kept[0] >= max_age:
            self._answer = kept = now, self._read()
        return kept[1]


class Memo(Generic[T]):
    """What a pure function returns for its newest arguments, which are told apart by identity.

    May be called from any thread; several that come at once may each compute.
    """

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        self._kept: Optional[tuple[tuple[object, ...], T]] = None

    def __call__(self, *of: object) -> T:
        kept = self._kept
        if kept is None or any(map(is_not, kept[0], of)):
            self._kept = kept = of, self._compute(*of)
        return kept[1]


def slice_size(count: int, every: float = _TICK_SECONDS) -> int:
    """How many of ``count`` OSDs to read in one tick, if there is one ``every`` so many seconds."""
    ticks = max(1, round(_PASS_SECONDS / max(_TICK_SECONDS, every)))
    return min(count, max(_LEAST_SLICE, -(-count // ticks)))
