"""Admission of a round: its demands, the cluster's state, the operator's rules, the decision.

With the guard, which looks while it runs, and the wear of devices by rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, Optional

from .plan import Window


class Fullness(str, Enum):
    """The fullness state of an OSD in the OSD map."""

    NEARFULL = "nearfull"
    BACKFILLFULL = "backfillfull"
    FULL = "full"


@dataclass(frozen=True)
class HealthCheck:
    """One of the cluster's health checks. ``error``: HEALTH_ERR, else HEALTH_WARN."""

    code: str
    summary: str = ""
    error: bool = False
    muted: bool = False


class Space(NamedTuple):
    """An OSD's device in bytes."""

    total: int
    used: int


class NewMaps(NamedTuple):
    """OSD maps that came while no round ran: so many ``maps`` within ``seconds`` of looking.

    ``minutes`` are those in which one came.
    """

    maps: int
    minutes: int
    seconds: float


@dataclass(frozen=True)
class Load:
    """A load in bytes/s and operations/s; None if unknown."""

    bytes_per_second: Optional[float] = None
    ops_per_second: Optional[float] = None


@dataclass(frozen=True)
class Ask:
    """A round's demands. Sizes in bytes, times in seconds.

    ``bytes_per_osd`` counts all writes to each OSD's device, ``peak_bytes_per_osd`` the most that
    is stored there at one time. ``pool_bytes`` counts the objects in the bench pool (0: none).
    ``benches`` are all calls of ``osd bench`` (0: none), ``bench_seconds`` is the mean of one, as
    the last round had it; None if unknown.
    """

    osds: tuple[int, ...]
    bytes_per_osd: int
    peak_bytes_per_osd: int
    seconds: float = 0.0
    pool_bytes: int = 0
    benches: int = 0
    bench_seconds: Optional[float] = None


@dataclass(frozen=True)
class Situation:
    """The cluster's state at one moment. None means unknown.

    ``at`` is unix seconds. ``checks`` are all health checks (empty: HEALTH_OK), ``flags`` the
    OSD map's. ``pgs`` counts PGs by state ("active+clean+laggy"), ``slow_ops`` slow operations by
    OSD. ``fullness`` and ``space`` are of the chosen OSDs. ``down_in`` are OSDs that are down and
    in; ``changes`` counts by OSD how often it went up or down in ``Rules.flap_seconds``. ``maps``
    are the new OSD maps of the last ten minutes.
    ``releases`` counts OSDs by version; ``upgrading`` is the orchestrator's state (False without
    one). ``client`` is the present load of clients, ``possible`` the load that the last rounds
    showed to be possible. ``endurance_used`` is by OSD the share of its rated endurance that the
    most worn of its drives reports as used up (1: all of it). ``running`` are the IDs of running
    rounds.
    """

    at: float
    checks: Optional[tuple[HealthCheck, ...]] = None
    flags: Optional[frozenset[str]] = None
    pgs: Optional[Mapping[str, int]] = None
    slow_ops: Optional[Mapping[int, int]] = None
    fullness: Optional[Mapping[int, Fullness]] = None
    space: Optional[Mapping[int, Space]] = None
    nearfull_ratio: float = 0.85
    full_ratio: float = 0.95
    pool_available: Optional[int] = None
    down_in: Optional[tuple[int, ...]] = None
    changes: Optional[Mapping[int, int]] = None
    maps: Optional[NewMaps] = None
    releases: Optional[Mapping[str, int]] = None
    upgrading: Optional[bool] = None
    client: Optional[Load] = None
    possible: Optional[Load] = None
    wear: Optional[WearLedger] = None
    endurance_used: Mapping[int, float] = field(default_factory=dict)
    running: Optional[tuple[int, ...]] = None

    @cached_property
    def written(self) -> Optional[Mapping[int, int]]:
        """By OSD the bytes that rounds wrote in the last 24 hours; None if that is unknown."""
        return None if self.wear is None else self.wear.written(self.at)


# The benches of a round that may get a new OSD map. Of about 400 that did, one hung its OSD (device
# class hdd, two cores; docs/upstream/osd-bench-hang.md), so this is a chance of a tenth.
MOST_MAPS_MET = 40

# Warnings that a bench does not aggravate and that do not affect its results:
TOLERATED = (
    "PERF_BENCH_*",  # the module's own: a suspected OSD needs to be measured
    "AUTH_*",  # settings, as the three below
    "POOL_APP_NOT_ENABLED",
    "POOL_NO_REDUNDANCY",
    "TELEMETRY_CHANGED",
    "POOL_PG_NUM_NOT_POWER_OF_TWO",  # numbers of PGs: `osd bench` goes past them
    "POOL_TOO_FEW_PGS",
    "POOL_TOO_MANY_PGS",
    "TOO_FEW_PGS",
    "TOO_MANY_PGS",
    "PG_NOT_SCRUBBED",  # late by days; a round that stops scrubs adds minutes
    "PG_NOT_DEEP_SCRUBBED",
    "OSD_SLOW_PING_TIME_*",  # stays for minutes after its cause; laggy PGs and slow ops are checked
    "RECENT_CRASH",  # stays for two weeks; OSDs that are down are checked
    "RECENT_MGR_MODULE_CRASH",
    "BLUESTORE_SLOW_OP_ALERT",  # fires at one slow operation and stays for a day
    "*_DEVICE_STALLED_READ_ALERT",  # the same for one read; SLOW_OPS is checked
    "BLUESTORE_FREE_FRAGMENTATION",  # states of single OSDs that may stand for weeks
    "BLUEFS_SPILLOVER",
    "OSD_FAIL_SLOW",  # a suspected OSD needs to be measured
)


@dataclass(frozen=True)
class Rules:
    """The operator's rules.

    ``tolerated`` are health checks that do not prevent a round ("*" matches the rest of a name).
    ``client_share`` is the share of the possible load that clients may use. With a fifth, the bench
    lengthens their queues only little, and they change its results by less than the 10 % above
    which a round is noisy. ``wear_bytes_per_day`` is per OSD; None: by the size of its device. An
    OSD that goes up or down five times in ``flap_seconds`` is flapping. If ``attended`` is False,
    unknown essentials count as refusals. ``maps_met`` benches of a round may get a new OSD map;
    None: any number. ``may_raise``: a round may raise the ``osd_bench_*``
    options while it runs.
    """

    tolerated: tuple[str, ...] = TOLERATED
    client_share: float = 0.2
    window: Optional[Window] = None
    timezone: str = "UTC"
    wear_bytes_per_day: Optional[int] = None
    flap_seconds: float = 600.0
    maps_met: Optional[int] = MOST_MAPS_MET
    attended: bool = True
    may_raise: bool = False


@dataclass(frozen=True)
class Refusal:
    """One reason against a round. ``forceable``: ``--force`` may override it."""

    code: str
    message: str
    forceable: bool = True


@dataclass(frozen=True)
class Unknown:
    """Something that could not be checked because it is unknown.

    ``essential``: an active mgr gets it from its maps within seconds.
    """

    code: str
    message: str
    essential: bool = False


@dataclass(frozen=True)
class Admission:
    """The decision: every refusal, and everything that could not be checked.

    An unknown is no refusal: a cluster that was never measured has unknowns, and operators would
    get used to ``--force``. It is shown as a note. If nobody reads notes (``Rules.attended`` is
    False), an essential unknown is a refusal. ``tolerated`` are health checks that stand and do not
    prevent the round.
    """

    refusals: tuple[Refusal, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    tolerated: tuple[HealthCheck, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the round may start without force."""
        return not self.refusals

    @property
    def reasons(self) -> tuple[str, ...]:
        """The refusals as sentences."""
        return tuple(refusal.message for refusal in self.refusals)

    @property
    def notes(self) -> tuple[str, ...]:
        """The unknowns as sentences."""
        return tuple(unknown.message for unknown in self.unknowns)

    @property
    def forceable(self) -> bool:
        """Whether ``--force`` may override every refusal."""
        return all(refusal.forceable for refusal in self.refusals)

    def held_by(self, force: bool) -> tuple[Refusal, ...]:
        """The refusals that prevent the round, with or without ``force``."""
        return tuple(one for one in self.refusals if not (force and one.forceable))


# The code of the alarm for a round whose time is over.
TIME_OVER = "clock"


@dataclass(frozen=True)
class GuardSnapshot:
    """The cluster's state during a round, as far as it is cheap to read.

    ``pgs`` counts PGs by state, ``slow_ops`` slow operations by OSD; ``up`` are the OSDs that are
    up. ``client_seconds`` is the mean latency of clients; None with too few operations. ``epoch``
    is the OSD map's.
    """

    pgs: Mapping[str, int] = field(default_factory=dict)
    slow_ops: Mapping[int, int] = field(default_factory=dict)
    up: frozenset[int] = frozenset()
    client_seconds: Optional[float] = None
    epoch: int = 0


@dataclass(frozen=True)
class GuardRules:
    """How much worse than before the round the cluster may become until the round is ended.

    One OSD that goes down is often a finding of the round, and the others are worth measuring; two
    are the fault of the round or of a host. A bench costs clients about 40 % of their rate, or 1.7
    times the latency (three OSDs, 16 KiB writes); ``client_times`` is clearly above that, and 0
    ignores latency. ``maps_met`` benches may have got a new OSD map while they ran.
    """

    on: bool = True
    laggy_pgs: int = 0
    slow_ops: int = 0
    osds_down: int = 1
    client_times: float = 3.0
    maps_met: float = 100.0


@dataclass(frozen=True)
class Alarm:
    """A problem during a round. It ends the round if ``ends``, else contaminates its figures."""

    code: str
    message: str
    evidence: Mapping[str, Any]
    ends: bool


DAY = 86400.0


@dataclass(frozen=True)
class RoundWear:
    """The bytes that one round writes, by OSD.

    ``round`` is the round's token. ``at`` is the unix time of the booking or, later, of the round's
    end; the bytes count for a day from then.
    """

    round: str
    at: float
    by_osd: Mapping[int, int]


@dataclass(frozen=True)
class ClassWear:
    """What a round with all its repeats would write to the OSDs of one device class.

    The highest of its OSDs each: ``bytes_per_osd``, the share of a device that is written once
    over (``full_write_percent``), what that is of a day's writes of the least endurance that flash
    for servers is rated for (``rated_day_percent`` of ``rated_writes_per_day`` times the device;
    None for disks, which do not wear by writing),
    and the share of the wear budget with what rounds wrote in the last 24 h (``budget_percent``,
    of ``budget_bytes``). ``used_percent`` is the highest share of its rated endurance that a drive
    reports as used up. ``sizes_unknown`` and ``used_unknown`` count the OSDs without.
    """

    device_class: Optional[str]
    osds: int
    bytes_per_osd: int
    device_bytes: Optional[int]
    sizes_unknown: int
    full_write_percent: Optional[float]
    rated_writes_per_day: float
    rated_day_percent: Optional[float]
    budget_bytes: int
    budget_percent: Optional[float]
    used_percent: Optional[float]
    used_unknown: int


@dataclass(frozen=True)
class WearLedger:
    """The wear of all rounds that still count, also of removed ones."""

    rounds: tuple[RoundWear, ...] = ()

    def written(self, now: float) -> Mapping[int, int]:
        """By OSD the bytes of the last 24 hours."""
        totals: dict[int, int] = {}
        for one in self.rounds:
            if now - one.at < DAY:
                for osd, count in one.by_osd.items():
                    totals[osd] = totals.get(osd, 0) + count
        return totals
