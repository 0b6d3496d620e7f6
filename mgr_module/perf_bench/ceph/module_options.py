"""The module's options at ceph-mgr and the monitors: shown, set, and noticed when removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from logging import Logger
from typing import Any, Callable, Optional, cast

from mgr_module import MgrModule, Option

from ..core.clock import Clock
from ..errors import InvalidValue, PerfBenchError
from ..model.cluster import BUILD_OPTION
from ..model.options import ModuleOption, Threshold, Value
from .mons import Mons
from .options import value_of

# Seconds between checks; two checks must agree. The first two follow each other quickly, because a
# mgr on standby has missed removals, too.
_EVERY = 10.0
_FIRST = 2.0
# Raises InvalidValue for a text that means nothing.
Check = Callable[[str], object]


class MgrModuleOptions:
    """Implements ModuleOptions.

    It reads from the mgr, and writes to the monitors: ``set_module_option`` hides their errors.
    """

    def __init__(
        self,
        mgr: MgrModule,
        mons: Mons,
        checks: Mapping[str, Check],
        thresholds: Callable[[], Sequence[Threshold]],
    ) -> None:
        self._mgr = mgr
        self._mons = mons
        self._checks = checks
        self._thresholds = thresholds

    def all(self) -> Sequence[ModuleOption]:
        options: list[Option] = list(self._mgr.MODULE_OPTIONS)
        # ceph-mgr adds options about logs to those of every module, and describes none of them.
        ours = [one for one in options if "desc" in one and one["name"] != BUILD_OPTION]
        return [self._read(one) for one in ours]

    def thresholds(self) -> Sequence[Threshold]:
        return self._thresholds()

    def check(self, option: ModuleOption, value: str) -> None:
        check = self._checks.get(option.name)
        if check is None or not value:
            return
        try:
            check(value)
        except InvalidValue as error:
            raise InvalidValue(str(error), field="value") from None

    def set(self, name: str, value: Optional[str]) -> None:
        where = {"who": "mgr", "name": f"mgr/perf_bench/{name}"}
        if value is None:
            self._mons.command("config rm", **where)
        else:
            self._mons.command("config set", **where, value=value)

    def _read(self, one: Any) -> ModuleOption:
        return ModuleOption(
            name=one["name"],
            kind=one["type"],
            value=cast("Value", value_of(self._mgr, one["name"])),
            default=one["default"],
            help=one["desc"],
            least=one.get("min"),
            most=one.get("max"),
            at_once=bool(one.get("runtime")),
        )


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
        self._first = True
        self._missing: Mapping[str, Any] = {}

    def tick(self) -> None:
        """Call every few seconds; checks the options if that is due. Waits for the monitors."""
        now = self._clock.monotonic()
        if now < self._due:
            return
        self._due = now + (_FIRST if self._first else _EVERY)
        self._first = False
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
