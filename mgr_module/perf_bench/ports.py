"""The interfaces between the stages and the world: small, typed, each with a fake in the tests.

Every call that may wait has a time limit, stated at the method; when it runs out the call
raises, it never hangs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import (
    Any,
    Callable,
    Optional,
    Protocol,
    TypeVar,
)

from .model.admission import Situation
from .model.bench import BenchAnswer, BenchLimits, Done, Sample, Step
from .model.chart import Chart
from .model.comparison import Baseline
from .model.finding import Finding, Severity
from .model.guard import Glance
from .model.history import SavedState, SeriesPoint, WatchBatch
from .model.laggy import Episode
from .model.osd import Osd
from .model.pool import Groups, Pool
from .model.rados import ClientRun, LoadOrder, LoadSample, Row
from .model.round import OsdResult, Round, RoundLine, RoundState
from .model.wal import Wal
from .model.wear import Ledger
from .model.worker import Worker

T = TypeVar("T")


class Clock(Protocol):
    """Time. ``now`` is unix seconds for people, ``monotonic`` seconds for durations."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...


class Cluster(Protocol):
    """What the mgr knows of the cluster; reads of its maps only, no daemon is asked."""

    def osds(self, max_age: float = 0.0) -> Sequence[Osd]:
        """All OSDs by ID; at most ``max_age`` seconds old, 0 reads the maps now."""

    def down(self, osds: Sequence[int]) -> set[int]:
        """Those of the given OSDs that are not up at this moment; cheap enough to poll."""

    def bench_limits(self, osds: Sequence[int]) -> BenchLimits:
        """The tightest ``osd_bench_*`` options among these OSDs."""

    def wals(self, osds: Sequence[int]) -> Mapping[int, Wal]:
        """Where these OSDs say their write-ahead logs are."""

    def bench_copies(self) -> int:
        """How often an object of the bench pool is stored."""

    def over_nearfull(self, osds: Sequence[int]) -> Sequence[int]:
        """Those of the given OSDs that the cluster calls nearfull, backfillfull or full."""

    def environment(self, osds: Sequence[int] = ()) -> Mapping[str, Any]:
        """What must be known to compare a result of these OSDs later (JSON-ready)."""


# A point of a counter: unix seconds, then the total latency in seconds and the number of
# operations; of a plain counter its value and 0.
CounterPoint = tuple[float, float, int]


class Counters(Protocol):
    """The performance counters that OSDs have sent to the mgr. Nothing is asked of a daemon."""

    def names(self, osd: int) -> frozenset[str]:
        """The counters this OSD really sends, e.g. ``osd.op_r_latency``.

        Read once per OSD release, 0.5 ms each. One that is not sent reads as 0 from the mgr,
        so what is not in here must not be asked for.
        """

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        """The newest points, oldest first: up to 20, one per report (5 s, or what it is now).

        Empty when the OSD has sent none. About 5 us.
        """


class PgStates(Protocol):
    """Placement groups by state, as counts."""

    def by_state(self) -> Mapping[str, int]:
        """How many PGs are in each state, e.g. ``active+clean+laggy``; cost does not grow."""

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        """The same by pool name; constant cost too."""

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        """By OSD, each PG counted for every OSD of its acting set; 1 us a PG, so not on a timer."""


class OsdHealth(Protocol):
    """What the cluster itself reports of its OSDs, in bulk."""

    def reports(self) -> Mapping[int, int]:
        """By OSD the sequence number of its newest report; it stands still when the OSD hangs."""

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        """By OSD commit and apply latency in seconds, as ``ceph osd perf`` shows them."""

    def slow_ops(self) -> Mapping[int, int]:
        """By OSD how many operations it calls slow now; those without any are left out."""


class Outlook(Protocol):
    """How the cluster is, for those who decide whether it may be measured now."""

    def look(self, osds: Sequence[int]) -> Situation:
        """The whole picture, from the mgr's maps; of these OSDs where it says "chosen".

        What takes a memory is left None: ``changes``, ``possible``, ``wear``, ``running``.
        """

    def up(self) -> frozenset[int]:
        """The OSDs that are up; cheap while the map's epoch stays."""

    def glance(self) -> Glance:
        """What a guard looks at every few seconds, but for the latency of clients."""

    def copies(self) -> float:
        """How many bytes on devices a byte of clients is, over all pools: 3 for replicas."""


class Falls(Protocol):
    """OSDs that went down."""

    def fell(self) -> Mapping[int, float]:
        """By OSD that is down, and once was up, when that was (unix seconds). Cheap to poll.

        Minus infinity is so long ago that nobody knows.
        """


class Charts(Protocol):
    """What the doctor looks at, from the mgr's maps and the monitors; no OSD is asked."""

    def look(self) -> Chart:
        """The chart of all OSDs, without facts and rounds. Waits for the monitors at most 15 s.

        Costs some 60 us an OSD, so it is not for a short timer. Raises CommandFailed.
        """


class Commands(Protocol):
    """Orders to daemons, open for the length of one round.

    ``limit`` is the time in seconds after which any of them is given up.
    """

    @property
    def limit(self) -> float: ...

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        """Make the objects that OSDs are read by, before the first read; may take minutes.

        They lie in the bench pool, in ``groups``; an OSD that is the primary of none is not read.
        ``ended`` tells that the round is to end: then this and all reads are given up at once.
        Raises CommandFailed.
        """

    def remove_objects(self) -> None:
        """Remove all such objects. Raises CommandFailed."""

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Run one bench, or one read of the OSD's objects; waits at most ``limit``.

        Raises CommandFailed with the daemon's errno, or ETIMEDOUT.
        """

    def option(self, osd: int, name: str) -> str:
        """The value that an option has in the OSD at this moment. Raises CommandFailed."""

    def close(self) -> None: ...


class Loader(Protocol):
    """Clients that load the cluster, each a process; none outlives this mgr."""

    def run(
        self,
        order: LoadOrder,
        heard: Callable[[int, Row], None],
        ended: Callable[[], bool],
    ) -> Sequence[ClientRun]:
        """Run the clients to their end; ``heard`` gets each one's rows as they come.

        Empty, with no client left, within half a second of ``ended``. Raises CommandFailed.
        """

    def workers(self) -> Sequence[Worker]:
        """The workers there are, by name: a roll call, which takes a second or two.

        Raises CommandFailed.
        """

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove what clients left there; returns once it is gone. Raises CommandFailed."""


class Pools(Protocol):
    """Pools, for rounds of clients."""

    def look(self, name: str) -> Optional[Pool]:
        """The pool of that name as the maps have it; None where there is none."""

    def ensure(self, name: str, ended: Callable[[], bool]) -> None:
        """Make the bench's own pool if it is missing; wait until the pool can be used.

        Waits at most a minute, longer for very many groups. Raises CommandFailed, and NotNow for a
        pool of the bench's name that is somebody else's.
        """

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        """The placement groups whose acting primary each of these OSDs is now.

        Raises NotNow for a pool that is not there.
        """

    def free_bytes(self) -> int:
        """What all devices have left."""

    def largest_object(self) -> int:
        """The most bytes that one write of a client may have."""

    def messenger_modes(self) -> Mapping[str, str]:
        """How clients and OSDs talk."""


class Progress(Protocol):
    """Progress as ``ceph -s`` shows it. Must not raise: progress is never worth a round."""

    def update(self, round_id: int, message: str, fraction: float) -> None: ...

    def end(self, round_id: int, failure: Optional[str] = None) -> None: ...


class Prober(Protocol):
    """Small operations through the client path. Every call waits at most some seconds.

    Raises CommandFailed when there is no answer, NotNow while there is nowhere to probe.
    """

    def place(self) -> Mapping[int, Sequence[str]]:
        """By OSD the names of objects whose acting primary it is now."""

    def write(self, name: str) -> None: ...

    def read(self, name: str) -> None: ...

    def clear(self) -> None:
        """Remove its objects."""

    def close(self) -> None: ...


class Voice(Protocol):
    """What the cluster hears of us."""

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks, by code, as ``set_health_checks`` takes them."""

    def log(self, severity: Severity, line: str) -> None:
        """A line in the cluster's log."""


# By name a schedule and, once it has been looked at, its state; both JSON-ready.
SavedSchedules = Mapping[str, tuple[Mapping[str, Any], Optional[Mapping[str, Any]]]]

# What a list of rounds can be searched in, and sorted by.
ROUND_SEARCH = ("id", "profile", "kind", "state", "verdict", "label")
ROUND_SORTS = (*ROUND_SEARCH, "created_at", "started_at", "ended_at", "took_seconds")


class RoundStore(Protocol):
    """Rounds and their samples. Every method is one transaction.

    Raises NotFound for a round that does not exist and StoreUnavailable when the database
    cannot be reached or written.
    """

    @property
    def backend(self) -> str:
        """Where the data lives, e.g. ``sqlite:.mgr`` or ``memory``."""

    def schema_version(self) -> int: ...

    def add_round(self, draft: Round, osds: Sequence[OsdResult]) -> Round:
        """Store a new round with its OSDs; returns it with its ID. IDs are never used twice.

        What its plan writes is booked as wear under its token.
        """

    def save_round(self, round_: Round) -> None:
        """Store the changed state of a round (its plan and its OSDs stay)."""

    def end_round(
        self,
        round_: Round,
        results: Sequence[OsdResult],
        written: Optional[Mapping[int, int]] = None,
    ) -> None:
        """Store the end of a round and what it found, in one transaction.

        ``written`` is how many bytes it wrote, by OSD; what was booked for an OSD that is not
        in there stays.
        """

    def add_samples(self, round_id: int, samples: Sequence[Sample]) -> None:
        """Store samples; one that is there already (same phase, repeat, OSD) is kept."""

    def remove_round(self, round_id: int) -> None: ...

    def discard(self, token: str) -> None:
        """Remove the round of that token, which never began, if there is one."""

    def round(self, round_id: int) -> Round: ...

    def rounds(
        self,
        kind: Optional[str] = None,
        state: Optional[RoundState] = None,
        limit: int = 50,
        offset: int = 0,
        search: str = "",
        sort: str = "-id",
    ) -> tuple[list[RoundLine], int]:
        """A page of a list of rounds, and how many match in all.

        ``search`` stands, whatever its case, in one of ROUND_SEARCH. ``sort`` is one of
        ROUND_SORTS, with "-" before it descending; those without a value stand last, equals
        newest first.
        """

    def unfinished(self) -> list[Round]:
        """Rounds that are queued or running, oldest first."""

    def samples(self, round_id: int, osds: Optional[Sequence[int]] = None) -> list[Sample]:
        """A round's samples (of these OSDs), by repeat and OSD."""

    def sampled(self, round_id: int) -> Done:
        """Which samples a round has, and when the last of each phase ended."""

    def results(
        self, round_id: int, limit: Optional[int] = None, offset: int = 0
    ) -> tuple[list[OsdResult], int]:
        """A round's OSDs, slowest against their peers first, and how many there are."""

    def history(self, osd: int, limit: int = 50) -> list[tuple[RoundLine, OsdResult]]:
        """The ended rounds that measured this OSD, newest first."""

    def latest(self) -> dict[tuple[int, str], tuple[RoundLine, OsdResult]]:
        """By (OSD, profile): the newest ended round that has a figure for it."""

    def past(self, profile: str, limit: int, before: Optional[int] = None) -> list[Round]:
        """The newest ended rounds of a profile, newest first; those with IDs under ``before``.

        Whole rounds, 100 KiB each where there are 10,000 OSDs: to be read a few at a time.
        """

    def set_baseline(self, round_id: int, set_at: float) -> None:
        """Make a round its profile's baseline, instead of the one before; it goes with the round.

        Whether it is fit for that is the caller's to know.
        """

    def baselines(self) -> list[Baseline]:
        """All baselines, by profile."""

    def wear(self) -> Ledger:
        """What rounds wrote to OSDs in the last day or more; rounds that are gone too."""

    def round_of_token(self, token: str) -> Optional[int]:
        """The ID of the round that was stored under this token, None if there is none."""

    def put_schedule(self, name: str, schedule: Mapping[str, Any]) -> None:
        """Store a schedule (JSON-ready); one of that name is replaced and keeps its state."""

    def remove_schedule(self, name: str) -> None:
        """Remove a schedule and its state. Raises NotFound."""

    def put_schedule_states(self, states: Mapping[str, Mapping[str, Any]]) -> None:
        """Store how far schedules are; that of a schedule which is gone is passed over."""

    def schedules(self) -> SavedSchedules:
        """All schedules by name."""

    def close(self) -> None: ...


class WatchStore(Protocol):
    """What the watch keeps. Every method is one transaction; errors as for RoundStore."""

    def write(self, batch: WatchBatch) -> None:
        """Write all of it or nothing; the same batch again changes nothing."""

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next ID that was never used."""

    def state(self, name: str) -> Optional[SavedState]:
        """What was saved under that name; None too if it cannot be read any more."""

    def episodes(self, limit: int = 50, offset: int = 0) -> tuple[list[Episode], int]:
        """The laggy episodes, newest first, and how many there are."""

    def series(
        self, osd: int, channel: str, level: int, begin: float, end: float
    ) -> list[SeriesPoint]:
        """One OSD's points of ``level`` seconds that start in ``begin`` … ``end``, in order.

        Spans without data are left out, and so are rows that are damaged.
        """

    def all_series(
        self, osd: int, channels: Collection[str], level: int, begin: float, end: float
    ) -> dict[str, list[SeriesPoint]]:
        """The same of several channels: each row is read and unpacked once for all of them."""


# By host when its facts came (unix seconds), their document (None for one that is damaged), and
# what is remembered beyond them.
SavedFacts = Mapping[str, tuple[float, Any, Mapping[str, Any]]]


class FactsStore(Protocol):
    """The facts of hosts. Every method is one transaction; errors as for RoundStore."""

    def put(
        self,
        host: str,
        received_at: float,
        document: Mapping[str, Any],
        memory: Mapping[str, Any],
    ) -> None:
        """Store a host's facts and its memory (JSON-ready) instead of those before."""

    def all(self) -> SavedFacts:
        """The newest facts of every host."""


class LoadStore(Protocol):
    """The repeats of rounds of clients. One transaction a method; errors as for RoundStore."""

    def add(self, round_id: int, sample: LoadSample) -> None:
        """Store a repeat; one that is there is kept, and for a round that is gone none is."""

    def of(self, round_id: int) -> list[LoadSample]:
        """A round's repeats, in order."""


class Store(RoundStore, Protocol):
    """Everything that is stored."""

    @property
    def watch(self) -> WatchStore: ...

    @property
    def facts(self) -> FactsStore: ...

    @property
    def loads(self) -> LoadStore: ...


class StoreDesk(Protocol):
    """The way to the store: it is asked from one thread, and nobody waits for it unbounded."""

    def ask(self, question: Callable[[Store], T], limit: float = 5.0) -> T:
        """Put the question to the store; raises StoreUnavailable after ``limit`` seconds."""

    def tell(
        self,
        order: Callable[[Store], None],
        done: Callable[[Optional[Exception]], None],
    ) -> None:
        """Carry the order out later; ``done`` gets None or what went wrong."""
