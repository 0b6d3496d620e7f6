"""The module's options, ``mgr/perf_bench/…``: definitions, values, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from logging import Logger
from typing import Any, Callable, Optional, cast

from mgr_module import MgrModule, Option

from ..core.clock import Clock
from ..errors import PerfBenchError
from ..model.admission import (
    GuardRules,
    ModuleOption,
    Rules,
    Value,
    WatchOptions,
)
from ..model.cluster import BUILD_OPTION
from ..model.finding_kinds import KINDS
from ..model.hardware import HOT_SHARE
from ..model.history import DAY, FIVE_MINUTES, HOUR, KEPT_SECONDS
from ..model.store import NEEDED_ROUNDS, RetentionRules
from ..version import build
from .mons import Mons

# The guard ends a round at so many times the benches that admission allows to get a new map: an
# estimate may be exceeded.
_GUARD_TIMES = 2.5
_KEPT = (
    ("keep_5min_days", FIVE_MINUTES, "5 minutes"),
    ("keep_1h_days", HOUR, "hour"),
    ("keep_1d_days", DAY, "day"),
)
_ANY: tuple[None, None] = (None, None)
_COUNT = 1 << 20

# Name, default, least and greatest value, and what it is; the type is that of the default. Each
# kind of finding has one, too, that switches it off.
_TABLE: tuple[tuple[str, Any, tuple[Optional[int], Optional[int]], str], ...] = (
    ("bench_timeout", 300, (10, 3600),
     "seconds after which a bench without an answer is given up"),
    ("max_parallel", 64, (1, 256),
     "maximum number of OSDs that run a bench at the same time, one on each host"),
    ("admission_tolerate", " ".join(Rules.tolerated), _ANY,
     ("health checks that do not prevent a round, separated by blanks; * stands for the rest of "
     "a name")),
    ("admission_client_percent", round(100 * Rules.client_share), (0, 100),
     "percentage of the throughput in the last rounds that clients may use when a round starts"),
    ("admission_window", Rules.window, _ANY,
     "hours within which rounds may start, as 01:00-05:00; empty for any"),
    ("admission_timezone", Rules.timezone, _ANY,
     "time zone of admission_window, as Europe/Berlin"),
    ("admission_wear_gib_per_day", 0, (0, _COUNT),
     ("GiB that rounds may write to each OSD in 24 hours; 0 for 3 % of its device, but at least "
     "64")),
    ("admission_flap_seconds", round(Rules.flap_seconds), (0, 3600),
     "seconds; an OSD that goes up or down five times within this time prevents rounds"),
    ("admission_map_changes", Rules.maps_met, (0, _COUNT),
     ("benches of a round that may get a new OSD map while they run; the guard ends a round at "
     "2.5 times as many; 0: any")),
    ("guard", GuardRules.on, _ANY,
     "end a round that harms the cluster, as by slow operations or OSDs going down"),
    ("guard_laggy_pgs", GuardRules.laggy_pgs, (0, _COUNT),
     "PGs that may become laggy during a round"),
    ("guard_slow_ops", GuardRules.slow_ops, (0, _COUNT),
     "operations that may become slow during a round"),
    ("guard_osds_down", GuardRules.osds_down, (0, 10000),
     "OSDs that may go down during a round"),
    ("guard_client_times", round(GuardRules.client_times), (0, 1000),
     "factor by which clients' operations may slow down during a round; 0: any"),
    ("quiesce", Rules.quiesce, _ANY,
     ("stop scrubs, the balancer and the autoscaler while a round runs, and put their settings "
     "back after it")),
    ("watch", True, _ANY,
     "watch the latencies of OSDs and the states of placement groups"),
    ("watch_tick_seconds", 5, (1, 60),
     "seconds between two ticks of the watch"),
    ("detector", "", _ANY,
     ("changed thresholds of the detector, as KEY=VALUE separated by blanks (see qa/replay "
     "--config); read when a mgr becomes active")),
    ("crc_asked", 10, (0, 1000),
     ("OSDs that are asked every 5 s, one after the other, for counts of errors that they do not "
     "send; 0 for none")),
    ("crc_hotspot_percent", round(100 * HOT_SHARE), (1, 100),
     "percentage of its op threads' time on checksums from which on an OSD is a hotspot"),
    *(
        (
            name, round(KEPT_SECONDS[level] / DAY), (1, 3650),
            f"days for which latencies per {span} are kept",
        )
        for name, level, span in _KEPT
    ),
    ("keep_rounds", RetentionRules.rounds, (NEEDED_ROUNDS, 100_000),
     "rounds of each profile that are kept; older ones are removed"),
    ("keep_round_days", RetentionRules.days, (0, 36500),
     (f"days for which rounds are kept, but {NEEDED_ROUNDS} valid ones of each profile always; "
     "0 for any age")),
    ("keep_store_mib", RetentionRules.mebibytes, (16, _COUNT),
     "MiB that the database may take; beyond that the oldest rounds are removed"),
    ("metrics_port", 0, (0, 65535),
     "port at which the active mgr serves metrics for Prometheus; 0 for none"),
    ("metrics_address", "::", _ANY,
     "address at which the active mgr serves metrics; :: is every address"),
    ("metrics_per_osd", True, _ANY,
     "serve metrics of every single OSD"),
    *((kind.switch, True, _ANY, f"raise the health check {kind.code}") for kind in KINDS),
    (BUILD_OPTION, build(), _ANY,
     "do not set: its default tells the monitors which files this mgr has"),
)  # fmt: skip
# Those that are read only when a mgr becomes active.
_AT_START = ("detector", BUILD_OPTION)


def options() -> list[Option]:
    """The options for ``MODULE_OPTIONS``."""
    found = []
    for name, default, (least, most), what in _TABLE:
        given: dict[str, Any] = {"name": name, "type": type(default).__name__, "default": default}
        if least is not None:
            given.update(min=least, max=most)
        if name not in _AT_START:
            given["runtime"] = True
        found.append(Option(**given, desc=what))
    return found


def value_of(mgr: MgrModule, name: str) -> Any:
    """The present value of an option; its default if what is set is not of its type.

    ``ceph config set --force`` sets any text, for which ceph-mgr raises ValueError.
    """
    try:
        return mgr.get_module_option(name)
    except ValueError:
        return next(one.get("default") for one in mgr.MODULE_OPTIONS if one["name"] == name)


class MgrOptions:
    """The present values."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr

    @property
    def bench_timeout(self) -> int:
        return int(self._value("bench_timeout"))

    @property
    def max_parallel(self) -> int:
        return int(self._value("max_parallel"))

    @property
    def crc_asked(self) -> int:
        """The number of OSDs to ask every 5 s; 0 while the watch is off."""
        return int(self._value("crc_asked")) if self._value("watch") else 0

    @property
    def detector(self) -> Sequence[str]:
        return str(self._value("detector") or "").split()

    @property
    def metrics_at(self) -> Optional[tuple[str, int]]:
        """Address and port of the metrics; None if they are off."""
        port = int(self._value("metrics_port"))
        return (str(self._value("metrics_address")), port) if port else None

    @property
    def metrics_per_osd(self) -> bool:
        return bool(self._value("metrics_per_osd"))

    def care(self) -> Rules:
        return Rules(
            tolerated=tuple((self._value("admission_tolerate") or "").replace(",", " ").split()),
            client_share=self._value("admission_client_percent") / 100,
            window=(self._value("admission_window") or "").strip(),
            timezone=self._value("admission_timezone") or Rules.timezone,
            wear_bytes_per_day=(self._value("admission_wear_gib_per_day") << 30) or None,
            flap_seconds=float(self._value("admission_flap_seconds")),
            maps_met=self._value("admission_map_changes") or None,
            quiesce=self._value("quiesce"),
            guard=GuardRules(
                on=self._value("guard"),
                laggy_pgs=self._value("guard_laggy_pgs"),
                slow_ops=self._value("guard_slow_ops"),
                osds_down=self._value("guard_osds_down"),
                client_times=float(self._value("guard_client_times")),
                maps_met=_GUARD_TIMES * self._value("admission_map_changes"),
            ),
        )

    def watch(self) -> WatchOptions:
        return WatchOptions(
            on=self._value("watch"),
            tick_seconds=float(self._value("watch_tick_seconds")),
            codes=frozenset(kind.code for kind in KINDS if self._value(kind.switch)),
            kept={level: DAY * self._value(name) for name, level, _ in _KEPT},
            crc_hot_share=self._value("crc_hotspot_percent") / 100,
        )

    def retention(self) -> RetentionRules:
        return RetentionRules(
            rounds=self._value("keep_rounds"),
            days=self._value("keep_round_days"),
            mebibytes=self._value("keep_store_mib"),
        )

    def _value(self, option: str) -> Any:
        return value_of(self._mgr, option)


# --- at ceph-mgr and the monitors --------------------------------------------------------------


# Seconds between checks; two checks must agree.
_EVERY = 10.0
# Raises InvalidValue for a text that means nothing.
Check = Callable[[str], object]


def module_options(mgr: MgrModule) -> Sequence[ModuleOption]:
    """Every option that operators may set, with its present value."""
    options: list[Any] = list(mgr.MODULE_OPTIONS)
    return [
        ModuleOption(
            name=one["name"],
            type=one["type"],
            value=cast("Value", value_of(mgr, one["name"])),
            default=one["default"],
            help=one["desc"],
            min=one.get("min"),
            max=one.get("max"),
            at_once=bool(one.get("runtime")),
        )
        for one in options
        # ceph-mgr adds options about logs to those of every module, and describes none of them.
        if "desc" in one and one["name"] != BUILD_OPTION
    ]


class OptionResets:
    """Resets removed options to their defaults. Asks the monitors only if an option differs.

    A running mgr is not notified: after ``ceph config rm mgr mgr/perf_bench/guard``, ``ceph config
    get`` shows the default at once, but the active mgr would keep the old value until it restarts.
    """

    def __init__(self, mgr: MgrModule, mons: Mons, clock: Clock, log: Logger) -> None:
        self._mgr = mgr
        self._mons = mons
        self._clock = clock
        self._log = log
        self._due = clock.monotonic()
        self._missing: Mapping[str, Any] = {}

    def tick(self) -> None:
        """Call every few seconds; checks the options if that is due. Waits for the monitors."""
        now = self._clock.monotonic()
        if now < self._due:
            return
        self._due = now + _EVERY
        missing = self._unset()
        # Missing twice with the same value: a new value may reach this mgr before a monitor that
        # lags behind has it.
        gone = [name for name, value in missing.items() if self._missing.get(name) == value]
        self._missing = missing
        for name in gone:
            self._log.info("option %s was removed: back to its default", name)
            self._mgr.set_module_option(name, None)

    def _unset(self) -> Mapping[str, Any]:
        """By name the value of each option that differs from its default but is not set."""
        options: list[Option] = list(self._mgr.MODULE_OPTIONS)
        values = {one["name"]: value_of(self._mgr, one["name"]) for one in options}
        defaults = {one["name"]: one.get("default") for one in options}
        differ = {name: value for name, value in values.items() if value != defaults[name]}
        if not differ:
            return {}
        try:
            known = {entry["name"] for entry in self._mons.command_json("config dump")}
        except PerfBenchError:
            return {}
        return {name: v for name, v in differ.items() if f"mgr/perf_bench/{name}" not in known}
