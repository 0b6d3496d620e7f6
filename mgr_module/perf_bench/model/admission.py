"""Whether a round may run, and what it changes meanwhile: admission, guard, wear, held settings.

A setting that is changed for a while has a name (``what``) and a text as its value; None means that
it is not set. The names:

    flag/noscrub                    "set" or "unset"
    balancer                        "on" or "off"
    pool/3/pg_autoscale_mode        "on", "off" or "warn"; pools by ID, names may change
    osd/7/primary_affinity          0 to 1, also osd/7/reweight; only on an operator's request
    config/osd/osd_bench_duration   the value in the configuration database for that section
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Optional, Union

from .hardware import HOT_SHARE
from .history import KEPT_SECONDS
from .json_fields import Moment, known, matching, name, number, within


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
    OSD. ``fullness`` (nearfull, backfillfull, full) and ``space`` are of the chosen OSDs.
    ``down_in`` are OSDs that are down and in; ``changes`` counts by OSD how often it went up or
    down in ``Rules.flap_seconds``. ``maps`` are the new OSD maps of the last ten minutes.
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
    fullness: Optional[Mapping[int, str]] = None
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
class Rules:
    """The operator's rules: whether a round may start, what it changes, and what ends it.

    ``tolerated`` are health checks that do not prevent a round ("*" matches the rest of a name).
    ``client_share`` is the share of the possible load that clients may use. With a fifth, the bench
    lengthens their queues only little, and they change its results by less than the 10 % above
    which a round is noisy. ``window`` is empty for any time of day. ``wear_bytes_per_day`` is per
    OSD; None: by the size of its device. An OSD that goes up or down five times in ``flap_seconds``
    is flapping. ``maps_met`` benches of a round may get a new OSD map; None: any number.
    ``quiesce``: rounds stop what would disturb them, and may raise the ``osd_bench_*`` options. If
    ``attended`` is False, unknown essentials count as refusals.
    """

    tolerated: tuple[str, ...] = TOLERATED
    client_share: float = 0.2
    window: str = ""
    timezone: str = "UTC"
    wear_bytes_per_day: Optional[int] = None
    flap_seconds: float = 600.0
    maps_met: Optional[int] = MOST_MAPS_MET
    quiesce: bool = True
    guard: GuardRules = GuardRules()
    attended: bool = True


@dataclass(frozen=True)
class AdmissionRefusal:
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
    """Whether a round may start now: every refusal, and everything that could not be checked.

    An unknown is no refusal: a cluster that was never measured has unknowns, and operators would
    get used to ``--force``. It is shown as a note. If nobody reads notes (``Rules.attended`` is
    False), an essential unknown is a refusal.

    forceable -- Whether force overrides every refusal.
    tolerated -- Health checks that stand and do not prevent it.
    """

    KEYS = ("allowed", "reasons", "refusals", "forceable", "unknown", "tolerated")
    refusals: tuple[AdmissionRefusal, ...] = ()
    unknown: tuple[Unknown, ...] = ()
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
        return tuple(unknown.message for unknown in self.unknown)

    @property
    def forceable(self) -> bool:
        """Whether it is refused, and ``--force`` may override every refusal."""
        return bool(self.refusals) and all(refusal.forceable for refusal in self.refusals)

    def held_by(self, force: bool) -> tuple[AdmissionRefusal, ...]:
        """The refusals that prevent the round, with or without ``force``."""
        return tuple(one for one in self.refusals if not (force and one.forceable))


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


# --- Settings that are changed for a while, and what became of putting them back ---


BALANCER = "balancer"
# The section and the option that switch the balancer, as the configuration database names them.
BALANCER_OPTION = "mgr/mgr/balancer/active"

# Names of settings to values.
Values = Mapping[str, Optional[str]]


class QuiesceState(str, Enum):
    """IDLE: nothing is changed. HELD: changed by a running round. Else: must be put back."""

    IDLE = "idle"
    HELD = "held"
    RESTORE_PENDING = "restore-pending"


def same_value(one: Optional[str], other: Optional[str]) -> bool:
    """Whether two texts are equal values: monitors store 30 as 30.000000 for some options."""
    if one is None or other is None:
        return one is other
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


# Checks the name of a setting.
setting_name = matching(
    r"flag/[\w-]+|balancer|pool/\d+/\w+|osd/\d+/(primary_affinity|reweight)|config/[!-~]+/\w+",
    "the name of a setting",
)
# Unix seconds that have a date.
_TIME = within(number, 0, 1e11)


@dataclass(frozen=True)
class SettingChange:
    """One change of a setting, as it is recorded before it is made; null: it is not set.

    ``at`` is the unix time of that by the writer's clock, ``holder`` its owner (a round's token).
    After ``until`` (unix seconds) it is put back in any case; None: on request only. ``also`` are
    other values that count as ours. Until ``late_until`` (unix seconds) a command for it may be
    carried out; 0: all were answered. ``back``: it was put back, and is watched until then.
    """

    KEYS = ("what", "was", "want")
    what: str
    was: Optional[str]
    want: Optional[str]
    at: float = known(_TIME, 0.0)
    holder: str = known(name, "")
    until: Optional[float] = known(_TIME)
    also: tuple[Optional[str], ...] = ()
    late_until: float = known(_TIME, 0.0)
    back: bool = False

    def is_ours(self, value: Optional[str]) -> bool:
        """Whether the setting has a value that this change gave it."""
        return any(same_value(value, one) for one in (self.want, *self.also))

    def over(self, earlier: Optional[SettingChange]) -> SettingChange:
        """This change, made after an earlier one of the same setting that was not put back."""
        if earlier is None or not (earlier.is_ours(self.was) or same_value(earlier.was, self.was)):
            return self
        also = dict.fromkeys((*self.also, earlier.want, *earlier.also))
        return replace(self, was=earlier.was, also=tuple(also))


@dataclass(frozen=True)
class Left:
    """A change that is not put back, because somebody else has changed the setting.

    ``now`` is its value; ``gone``: the setting no longer exists (its pool was removed).
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    gone: bool = False


class Fate(str, Enum):
    """What became of a change; WAITING and LATER leave something to do.

    LATER: it is as before, but a command that changes it may still be carried out. PENDING: it was
    only looked at.
    """

    PUT_BACK = "put-back"
    LEFT = "left"
    GONE = "gone"
    NOTHING = "nothing"
    WAITING = "waiting"
    LATER = "later"
    PENDING = "pending"


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    ``now`` is the value that was found, ``why`` what it waits for, or what may still change it.
    """

    KEYS = (("what", "change.what"), ("was", "change.was"), "why")
    change: SettingChange
    fate: Fate
    now: Optional[str] = None
    why: str = ""


@dataclass(frozen=True)
class Restored:
    """How putting back the settings of a round ended.

    Complete if nothing is ``waiting`` and ``unsaved`` is None. ``same`` had the value of before
    already. ``unsaved`` says why the journal was not updated.
    """

    KEYS = ("put_back", "left")
    outcomes: tuple[Outcome, ...] = ()
    unsaved: Optional[str] = None

    @property
    def put_back(self) -> list[SettingChange]:
        return [one.change for one in self.outcomes if one.fate is Fate.PUT_BACK]

    @property
    def same(self) -> list[SettingChange]:
        return [one.change for one in self.outcomes if one.fate is Fate.NOTHING]

    @property
    def waiting(self) -> list[Outcome]:
        return [one for one in self.outcomes if one.fate is Fate.WAITING]

    @property
    def left(self) -> list[Left]:
        return [
            Left(one.change.what, one.change.was, one.now, one.fate is Fate.GONE)
            for one in self.outcomes
            if one.fate in (Fate.LEFT, Fate.GONE)
        ]

    @property
    def complete(self) -> bool:
        return not self.waiting and self.unsaved is None


@dataclass(frozen=True)
class Changed:
    """One setting in ``quiesce status``; ``unread`` says why ``now`` is not known."""

    what: str
    was: Optional[str]
    want: Optional[str]
    now: Optional[str]
    unread: Optional[str] = None


@dataclass(frozen=True)
class QuiesceStatus:
    """What a round has changed in the cluster's settings.

    until -- When all is put back at the latest.
    why -- Why not all is put back.
    commands -- They undo by hand what is left.
    watched -- Settings for which an order may still be carried out, of a process that died.
    last -- The outcome of the last round that ended on this mgr.
    """

    state: QuiesceState
    since: Optional[Moment] = None
    until: Optional[Moment] = None
    holder: Optional[str] = None
    changed: tuple[Changed, ...] = ()
    why: Optional[str] = None
    commands: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    last: Optional[Restored] = None


AFFINITY, REWEIGHT = "primary_affinity", "reweight"
# How the two are called in sentences.
WORDS = {AFFINITY: "primary affinity", REWEIGHT: "reweight"}
# The OSD map keeps both as multiples of this part of 1.
_PARTS = 0x10000


def stored(value: float) -> str:
    """The value (0 to 1) as the OSD map keeps it: 0.3 becomes 0.29998779296875."""
    return repr(int(value * _PARTS) / _PARTS)


def setting(osd: int, what: str) -> str:
    """The name of the setting, for ``model.quiesce``."""
    return f"osd/{osd}/{what}"


@dataclass(frozen=True)
class Relieved:
    """A relief of an OSD, as the journal has it.

    ``now`` is what the OSD map has (None: no such OSD), ``unread`` says why it could not be asked.
    """

    KEYS: ClassVar[Sequence[Union[str, tuple[str, str]]]] = ("what", "was", "set_to", "since")
    change: SettingChange
    now: Optional[str] = None
    unread: Optional[str] = None

    @property
    def osd(self) -> int:
        return int(self.change.what.split("/")[1])

    @property
    def what(self) -> Annotated[str, "enum", (AFFINITY, REWEIGHT)]:
        return self.change.what.split("/")[2]

    @property
    def was(self) -> float:
        return float(self.change.was or 0)

    @property
    def set_to(self) -> float:
        return float(self.change.want or 0)

    @property
    def since(self) -> Moment:
        return self.change.at

    @property
    def has(self) -> Optional[float]:
        """What the OSD map has now, as a number."""
        return figure(self.now)

    @property
    def in_effect(self) -> Optional[bool]:
        """Whether the OSD map has what was set; None if it could not be asked."""
        return None if self.unread else same_value(self.now, self.change.want)


def figure(text: Optional[str]) -> Optional[float]:
    """A value of a setting as a number; None stays None."""
    return None if text is None else float(text)


def is_out(what: str, now: Optional[float]) -> bool:
    """Whether the OSD is out: Ceph has the reweight 0 then, and gives it the one of before again.

    A relief never sets a reweight to 0.
    """
    return what == REWEIGHT and now == 0


def why_out(change: SettingChange, now: Optional[str]) -> Optional[str]:
    """Why a change that is a reweight cannot be put back now: the OSD is out, None if it is not.

    The map has the weight 0 until it is in again. The monitors keep the weight that it had
    (``osd_xinfo``), and give it that then: without the journal it would stay relieved for ever.
    """
    kind, _, name = change.what.partition("/")
    osd, _, field = name.partition("/")
    if kind != "osd" or now is None or not is_out(field, float(now)):
        return None
    return f"osd.{osd} is out, and has reweight {change.want} when it is in again: undo it then"


# --- The operator's options ---


@dataclass(frozen=True)
class WatchOptions:
    """Options of the watch. ``codes`` are the health checks that may be raised.

    ``kept`` has by level (seconds of a span) the seconds that the store keeps the series. An OSD
    that spends ``crc_hot_share`` of its op threads' time on checksums is a hotspot.
    """

    on: bool
    tick_seconds: float
    codes: frozenset[str]
    kept: Mapping[int, float] = field(default_factory=lambda: KEPT_SECONDS)
    crc_hot_share: float = HOT_SHARE


# --- An option of the module, ``mgr/perf_bench/…``, and a threshold of the detector ---


Value = Union[bool, int, str]


# What the first letters of a name say of what the option is about; the first that fits counts.
_GROUPS = (
    ("watch", ("watch",)),
    ("thresholds", ("detector", "crc_")),
    ("rounds", ("bench_", "max_", "admission_", "guard", "quiesce")),
    ("history", ("keep_",)),
    ("metrics", ("metrics_",)),
)


@dataclass(frozen=True)
class ModuleOption:
    """An option of the module, mgr/perf_bench/NAME, with its present value.

    type -- bool, int or str; min and max are bounds of an int.
    at_once -- Whether a change takes effect at once; else when a mgr becomes active.
    """

    KEYS = ("name", "group", "type", "value", "default", "min", "max", "help", "at_once")
    name: str
    type: Literal["bool", "int", "str"]
    value: Value
    default: Value
    help: str
    min: Optional[int] = None
    max: Optional[int] = None
    at_once: bool = True

    @property
    def group(self) -> Literal["watch", "thresholds", "rounds", "history", "metrics", "health"]:
        """What it is about: those of no other group raise health checks."""
        named: Any = (word for word, starts in _GROUPS if self.name.startswith(starts))
        return next(named, "health")


@dataclass(frozen=True)
class Threshold:
    """A threshold of the detector of slow OSDs, as it is in effect."""

    name: str
    value: float
    default: float
