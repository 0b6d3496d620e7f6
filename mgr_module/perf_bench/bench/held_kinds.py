"""What can be held: how each kind of setting is read and set.

Values are read from the monitors, because the mgr's copies lag behind. The balancer is asked
itself: a running mgr does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import math
import shlex
from typing import Any, Optional, Protocol

from ..core.clock import Clock
from ..errors import CommandFailed, NotFound
from ..model.admission import BALANCER, BALANCER_OPTION

# Commands of the monitors that set a value, each with its arguments in the order of the line.
_Orders = list[tuple[str, dict[str, Any]]]

# Seconds that the configuration is cached: with 10,000 OSDs it is long, and hundreds of their
# options are read in a row.
_KEPT_SECONDS = 1.0
# Fields of OSDs in the OSD map, and the commands that set them.
_OSD_FIELDS = {
    "primary_affinity": ("primary_affinity", "osd primary-affinity"),
    "reweight": ("weight", "osd reweight"),
}


class Monitors(Protocol):
    """Commands to the monitors, which forward those of mgr modules to the active mgr.

    Arguments are in the order of the command line. All raise CommandFailed with the daemon's
    errno, or ETIMEDOUT after a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output."""


class ClusterSettings:
    """The settings of the cluster; for names and values see ``model.admission``.

    All raise a PerfBenchError within a time limit, NotFound if the setting does not exist (any
    more). A ``set`` that raised may have taken effect, or may do so later.
    """

    def __init__(self, monitors: Monitors, clock: Clock) -> None:
        self._monitors = monitors
        self._clock = clock
        self._options: dict[str, Optional[str]] = {}
        self._options_until = -math.inf
        self._pool_names: dict[str, str] = {}
        self._readers = {
            "flag": self._flag,
            BALANCER: self._balancer,
            "pool": self._pool,
            "config": self._option,
            "osd": self._weight,
        }

    def read(self, what: str) -> Optional[str]:
        kind, _, name = what.partition("/")
        return self._readers[kind](name)

    def forget(self) -> None:
        """Forget what was read before; the next reading asks the cluster."""
        self._options_until = -math.inf

    def set(self, what: str, value: Optional[str]) -> None:
        for prefix, arguments in self._orders(what, value):
            self._monitors.command(prefix, **arguments)
        kind, _, name = what.partition("/")
        if kind == BALANCER:
            self.forget()  # its command sets an option, too
        elif kind == "config":
            self._options[name] = value

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        """The commands with which an operator sets the value; asks nobody."""
        return [
            shlex.join(["ceph", *prefix.split(), *map(str, arguments.values())])
            for prefix, arguments in self._orders(what, value)
        ]

    def _orders(self, what: str, value: Optional[str]) -> _Orders:
        kind, _, name = what.partition("/")
        of, _, field = name.partition("/")
        if kind == "flag":
            return [("osd set" if value == "set" else "osd unset", {"key": name})]
        if kind == BALANCER:  # "on" sets the option to true, so every mgr has that value
            option = f"config/{BALANCER_OPTION}"
            removed = self._orders(option, None) if value is None else []
            return [(f"balancer {value or 'on'}", {}), *removed]
        if kind == "pool":  # by the name that was read last, right before it is set
            pool = self._pool_names.get(of, f"POOL-{of}")
            return [("osd pool set", {"pool": pool, "var": field, "val": value})]
        if kind == "osd":  # without a value the monitors refuse it
            return [(_OSD_FIELDS[field][1], {"id": int(of), "weight": float(value or -1)})]
        if value is None:
            return [("config rm", {"who": of, "name": field})]
        return [("config set", {"who": of, "name": field, "value": value})]

    def _flag(self, name: str) -> str:
        """A flag of the OSD map, "set" or "unset".

        Only the monitors' map is read: an idle OSD gets the newest map with its next operation
        (130 s later in a test), and nothing can speed that up.
        """
        flags = self._monitors.command_json("osd dump")["flags"].split(",")
        return "set" if name in flags else "unset"

    def _balancer(self, _name: str) -> Optional[str]:
        """The balancer's own state: "on", "off", or None if it is on by default.

        It is switched by its own command, which takes effect at once: it notices a change of the
        option within a minute only, and its removal never.
        """
        if not self._monitors.command_json("balancer status")["active"]:
            return "off"
        value = self._option(BALANCER_OPTION)
        return None if value is None else "on" if value.lower() in ("true", "1", "yes") else "off"

    def _pool(self, name: str) -> str:
        """A field of a pool as "3/pg_autoscale_mode"; the autoscaler uses the same values."""
        number, _, field = name.partition("/")
        for pool in self._monitors.command_json("osd pool ls", detail="detail"):
            if str(pool["pool_id"]) == number:
                self._pool_names[number] = str(pool["pool_name"])
                return str(pool[field])
        raise NotFound(f"no pool {number}")

    def _weight(self, name: str) -> str:
        """An OSD's "7/primary_affinity" or "7/reweight", from 0 to 1, in the OSD map."""
        number, _, field = name.partition("/")
        try:
            found = self._monitors.command_json("osd info", id=int(number))
        except CommandFailed as error:
            if "does not exist" in str(error):  # EINVAL on Ceph 16, as bad arguments
                raise NotFound(f"there is no osd.{number}") from None
            raise
        return repr(float(found[_OSD_FIELDS[field][0]]))

    def _option(self, name: str) -> Optional[str]:
        """An option of a section as "osd/osd_bench_duration", in the configuration database."""
        if self._clock.monotonic() >= self._options_until:
            self._options = {
                f"{entry['section']}/{entry['name']}": str(entry["value"])
                for entry in self._monitors.command_json("config dump")
                if not entry["mask"]
            }
            self._options_until = self._clock.monotonic() + _KEPT_SECONDS
        return self._options.get(name)
