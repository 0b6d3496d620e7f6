"""The module's options, ``mgr/perf_bench/…``: their definitions and their present values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, cast

from mgr_module import MgrModule, Option

from ..model.admission import MOST_MAPS_MET, TOLERATED
from ..model.checksum import HOT_SHARE
from ..model.finding_kinds import KINDS
from ..model.guard import GuardRules
from ..model.history import DAY, FIVE_MINUTES, HOUR, KEPT_SECONDS
from ..model.installation import BUILD_OPTION
from ..model.options import SafetyOptions, WatchOptions
from ..model.retention import NEEDED_ROUNDS, RetentionRules
from ..version import build

# The guard ends a round at so many times the benches that admission allows to get a new map: an
# estimate may be exceeded.
_GUARD_TIMES = 2.5
_KEPT = (
    ("keep_5min_days", FIVE_MINUTES, "5 minutes"),
    ("keep_1h_days", HOUR, "hour"),
    ("keep_1d_days", DAY, "day"),
)


def options() -> list[Option]:
    """The options for ``MODULE_OPTIONS``; each kind of finding has one that switches it off."""
    return [
        Option(
            name="bench_timeout",
            type="int",
            default=300,
            min=10,
            max=3600,
            desc="seconds after which a bench without an answer is given up",
            runtime=True,
        ),
        Option(
            name="max_parallel",
            type="int",
            default=64,
            min=1,
            max=256,
            desc="maximum number of OSDs that run a bench at the same time, one on each host",
            runtime=True,
        ),
        Option(
            name="admission_tolerate",
            type="str",
            default=" ".join(TOLERATED),
            desc="health checks that do not prevent a round, separated by blanks; "
            "* stands for the rest of a name",
            runtime=True,
        ),
        Option(
            name="admission_client_percent",
            type="int",
            default=20,
            min=0,
            max=100,
            desc="percentage of the throughput in the last rounds that clients may use when a "
            "round starts",
            runtime=True,
        ),
        Option(
            name="admission_window",
            type="str",
            default="",
            desc="hours within which rounds may start, as 01:00-05:00; empty for any",
            runtime=True,
        ),
        Option(
            name="admission_timezone",
            type="str",
            default="UTC",
            desc="time zone of admission_window, as Europe/Berlin",
            runtime=True,
        ),
        Option(
            name="admission_wear_gib_per_day",
            type="int",
            default=0,
            min=0,
            max=1 << 20,
            desc="GiB that rounds may write to each OSD in 24 hours; 0 for 3 % of its device, "
            "but at least 64",
            runtime=True,
        ),
        Option(
            name="admission_flap_seconds",
            type="int",
            default=600,
            min=0,
            max=3600,
            desc="seconds; an OSD that goes up or down five times within this time prevents rounds",
            runtime=True,
        ),
        Option(
            name="admission_map_changes",
            type="int",
            default=MOST_MAPS_MET,
            min=0,
            max=1 << 20,
            desc="benches of a round that may get a new OSD map while they run; the guard ends a "
            "round at 2.5 times as many; 0: any",
            runtime=True,
        ),
        Option(
            name="guard",
            type="bool",
            default=True,
            desc="end a round that harms the cluster, as by slow operations or OSDs going down",
            runtime=True,
        ),
        *[
            Option(name=name, type="int", default=default, min=0, max=most, desc=desc, runtime=True)
            for name, default, most, desc in (
                ("guard_laggy_pgs", 0, 1 << 20, "PGs that may become laggy during a round"),
                ("guard_slow_ops", 0, 1 << 20, "operations that may become slow during a round"),
                ("guard_osds_down", 1, 10000, "OSDs that may go down during a round"),
                (
                    "guard_client_times",
                    3,
                    1000,
                    "factor by which clients' operations may slow down during a round; 0: any",
                ),
            )
        ],
        Option(
            name="quiesce",
            type="bool",
            default=True,
            desc="stop scrubs, the balancer and the autoscaler while a round runs, and put their "
            "settings back after it",
            runtime=True,
        ),
        Option(
            name="watch",
            type="bool",
            default=True,
            desc="watch the latencies of OSDs and the states of placement groups",
            runtime=True,
        ),
        Option(
            name="watch_tick_seconds",
            type="int",
            default=5,
            min=1,
            max=60,
            desc="seconds between two ticks of the watch",
            runtime=True,
        ),
        Option(
            name="detector",
            type="str",
            default="",
            desc="changed thresholds of the detector, as KEY=VALUE separated by blanks "
            "(see qa/replay --config); read when a mgr becomes active",
        ),
        Option(
            name="probe",
            type="bool",
            default=False,
            desc="read and write 4 KiB per OSD and minute, so that idle OSDs have latencies too",
            runtime=True,
        ),
        Option(
            name="crc_asked",
            type="int",
            default=10,
            min=0,
            max=1000,
            desc="OSDs that are polled every 5 s, one after the other, for checksum counters that "
            "they do not send; 0 for none",
            runtime=True,
        ),
        Option(
            name="crc_hotspot_percent",
            type="int",
            default=round(100 * HOT_SHARE),
            min=1,
            max=100,
            desc="percentage of its op threads' time on checksums from which on an OSD is a "
            "hotspot, if that is also three times its peers'",
            runtime=True,
        ),
        *[
            Option(
                name=name,
                type="int",
                default=round(KEPT_SECONDS[level] / DAY),
                min=1,
                max=3650,
                desc=f"days for which latencies per {span} are kept",
                runtime=True,
            )
            for name, level, span in _KEPT
        ],
        Option(
            name="keep_rounds",
            type="int",
            default=RetentionRules.rounds,
            min=NEEDED_ROUNDS,
            max=100_000,
            desc="rounds of each profile that are kept; older ones are removed",
            runtime=True,
        ),
        Option(
            name="keep_round_days",
            type="int",
            default=RetentionRules.days,
            min=0,
            max=36500,
            desc=f"days for which rounds are kept, but {NEEDED_ROUNDS} valid ones of each profile "
            "always; 0 for any age",
            runtime=True,
        ),
        Option(
            name="keep_store_mib",
            type="int",
            default=RetentionRules.mebibytes,
            min=16,
            max=1 << 20,
            desc="MiB that the database may take; beyond that the oldest rounds are removed",
            runtime=True,
        ),
        Option(
            name="metrics_port",
            type="int",
            default=0,
            min=0,
            max=65535,
            desc="port at which the active mgr serves metrics for Prometheus; 0 for none",
            runtime=True,
        ),
        Option(
            name="metrics_address",
            type="str",
            default="::",
            desc="address at which the active mgr serves metrics; :: is every address",
            runtime=True,
        ),
        Option(
            name="metrics_per_osd",
            type="bool",
            default=True,
            desc="serve metrics of every single OSD",
            runtime=True,
        ),
        *[
            Option(
                name=kind.switch,
                type="bool",
                default=True,
                desc=f"raise the health check {kind.code}",
                runtime=True,
            )
            for kind in KINDS
        ],
        Option(
            name=BUILD_OPTION,
            type="str",
            default=build(),
            desc="do not set: its default tells the monitors which files this mgr has",
        ),
    ]


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
        return self._number("bench_timeout")

    @property
    def max_parallel(self) -> int:
        return self._number("max_parallel")

    @property
    def crc_asked(self) -> int:
        """The number of OSDs to poll every 5 s; 0 while the watch is off."""
        return self._number("crc_asked") if self._flag("watch") else 0

    @property
    def detector(self) -> Sequence[str]:
        return str(value_of(self._mgr, "detector") or "").split()

    @property
    def metrics_at(self) -> Optional[tuple[str, int]]:
        """Address and port of the metrics; None if they are off."""
        port = self._number("metrics_port")
        return (str(value_of(self._mgr, "metrics_address")), port) if port else None

    @property
    def metrics_per_osd(self) -> bool:
        return self._flag("metrics_per_osd")

    def care(self) -> SafetyOptions:
        return SafetyOptions(
            tolerated=str(value_of(self._mgr, "admission_tolerate") or ""),
            client_percent=self._number("admission_client_percent"),
            window=str(value_of(self._mgr, "admission_window") or ""),
            timezone=str(value_of(self._mgr, "admission_timezone") or "UTC"),
            wear_gib_per_day=self._number("admission_wear_gib_per_day"),
            flap_seconds=self._number("admission_flap_seconds"),
            maps_met=self._number("admission_map_changes"),
            quiesce=self._flag("quiesce"),
            guard=GuardRules(
                on=self._flag("guard"),
                laggy_pgs=self._number("guard_laggy_pgs"),
                slow_ops=self._number("guard_slow_ops"),
                osds_down=self._number("guard_osds_down"),
                client_times=float(self._number("guard_client_times")),
                maps_met=_GUARD_TIMES * self._number("admission_map_changes"),
            ),
        )

    def watch(self) -> WatchOptions:
        return WatchOptions(
            on=self._flag("watch"),
            tick_seconds=float(self._number("watch_tick_seconds")),
            probe=self._flag("probe"),
            codes=frozenset(kind.code for kind in KINDS if self._flag(kind.switch)),
            kept={level: DAY * self._number(name) for name, level, _ in _KEPT},
            crc_hot_share=self._number("crc_hotspot_percent") / 100,
        )

    def retention(self) -> RetentionRules:
        return RetentionRules(
            rounds=self._number("keep_rounds"),
            days=self._number("keep_round_days"),
            mebibytes=self._number("keep_store_mib"),
        )

    def _number(self, option: str) -> int:
        return cast("int", value_of(self._mgr, option))

    def _flag(self, option: str) -> bool:
        return bool(value_of(self._mgr, option))
