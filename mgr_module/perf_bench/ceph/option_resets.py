"""Options that the operator has removed: a mgr that runs is not told, so we look.

``ceph config rm mgr mgr/perf_bench/guard`` shows the default at once in ``ceph config get``, while
the active mgr would go on with the old value until it is restarted.
"""

from __future__ import annotations

from collections.abc import Mapping
from logging import Logger
from typing import Any, Callable

from mgr_module import MgrModule, Option

from ..errors import PerfBenchError
from ..ports import Clock
from .mons import Mons

# How soon a removed option is noticed: after two looks. A mgr that was on standby has missed what
# was removed meanwhile, too, so the first two are made as soon as it is active.
_EVERY_SECONDS = 10.0
_FIRST_SECONDS = 2.0


class OptionResets:
    """Goes back to the default of what is set no more. Asks the monitors only if something is."""

    def __init__(
        self, mgr: MgrModule, mons: Mons, clock: Clock, log: Logger, changed: Callable[[], None]
    ) -> None:
        self._mgr = mgr
        self._mons = mons
        self._clock = clock
        self._log = log
        self._changed = changed
        self._due = clock.monotonic()
        self._first = True
        self._missing: Mapping[str, Any] = {}

    def tick(self) -> None:
        """Look, if it is time to; to be called every few seconds. Waits for the monitors."""
        now = self._clock.monotonic()
        if now < self._due:
            return
        self._due = now + (_FIRST_SECONDS if self._first else _EVERY_SECONDS)
        self._first = False
        missing = self._look()
        # Twice with the same value: what is being set just now may be here before a monitor that
        # lags behind knows of it.
        gone = [name for name, value in missing.items() if self._missing.get(name) == value]
        self._missing = missing
        for name in gone:
            self._log.info("option %s was removed: back to its default", name)
            self._mgr.set_module_option(name, None)
        if gone:
            self._changed()

    def _look(self) -> Mapping[str, Any]:
        """By name the value of each option that differs from its default and is set nowhere."""
        own: list[Option] = list(self._mgr.MODULE_OPTIONS)
        values = {one["name"]: self._mgr.get_module_option(one["name"]) for one in own}
        defaults = {one["name"]: one.get("default") for one in own}
        differ = {name: value for name, value in values.items() if value != defaults[name]}
        if not differ:
            return {}
        try:
            known = {entry["name"] for entry in self._mons.command_json("config dump")}
        except PerfBenchError:
            return {}
        return {name: v for name, v in differ.items() if f"mgr/perf_bench/{name}" not in known}
