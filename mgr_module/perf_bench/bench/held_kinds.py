"""What can be held: how each kind of setting is read and set.

Values are read from the monitors, because the mgr's copies lag behind. The balancer is asked
itself: a running mgr does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import Any, Callable, Optional

from ..core.clock import Clock
from ..errors import CommandFailed, NotFound
from ..model.admission import BALANCER, BALANCER_OPTION
from .held import Monitors

_Read = Callable[[str], Optional[str]]
# Commands of the monitors that set a value, each with its arguments in the order of the line.
_Orders = list[tuple[str, dict[str, Any]]]
_Ordered = Callable[[str, Optional[str]], _Orders]

# Seconds that the configuration is cached where hundreds of options are read.
_KEPT_SECONDS = 1.0
# Fields of OSDs in the OSD map, and the commands that set them.
_OSD_FIELDS = {
    "primary_affinity": ("primary_affinity", "osd primary-affinity"),
    "reweight": ("weight", "osd reweight"),
}


class ClusterSettings:
    """Implements Settings; each kind of setting has methods of its own."""

    def __init__(self, monitors: Monitors, clock: Optional[Clock] = None) -> None:
        """With a ``clock`` the configuration is read at most once a second.

        That is for changes of hundreds of options: with 10,000 OSDs the configuration is long.
        """
        self._monitors = monitors
        self._clock = clock
        self._options: dict[str, str] = {}
        self._options_until = -math.inf
        self._pool_names: dict[str, str] = {}
        self._kinds: Mapping[str, tuple[_Read, _Ordered]] = {
            "flag": (self._flag, _flag_orders),
            BALANCER: (self._balancer, _balancer_orders),
            "pool": (self._pool, self._pool_orders),
            "config": (self._option, _option_orders),
            "osd": (self._weight, _weight_orders),
        }

    def read(self, what: str) -> Optional[str]:
        (read, _), name = self._kind(what)
        return read(name)

    def forget(self) -> None:
        self._options_until = -math.inf

    def set(self, what: str, value: Optional[str]) -> None:
        (_, orders), name = self._kind(what)
        for prefix, arguments in orders(name, value):
            self._monitors.command(prefix, **arguments)
        if not what.startswith("config/"):
            self.forget()  # the balancer's command sets an option, too
        elif value is None:
            self._options.pop(name, None)
        else:
            self._options[name] = value

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        (_, orders), name = self._kind(what)
        return [
            shlex.join(["ceph", *prefix.split(), *map(str, arguments.values())])
            for prefix, arguments in orders(name, value)
        ]

    def moving_pools(self) -> list[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""
        return [
            pool["pool_id"]
            for pool in self._monitors.command_json("osd pool autoscale-status")
            if pool["would_adjust"] and pool["pg_autoscale_mode"] == "on"
        ]

    def _kind(self, what: str) -> tuple[tuple[_Read, _Ordered], str]:
        word, _, name = what.partition("/")
        if word not in self._kinds:
            raise NotFound(f"no setting '{what}'")
        return self._kinds[word], name

    # Flags of the OSD map, "set" or "unset". Only the monitors' map is read: an idle OSD gets the
    # newest map with its next operation (130 s later in a test), and nothing can speed that up.

    def _flag(self, name: str) -> str:
        flags = self._monitors.command_json("osd dump")["flags"].split(",")
        return "set" if name in flags else "unset"

    # The balancer's own state: "on", "off", or None if it is on by default. It is switched by its
    # own command, which takes effect at once: it notices a change of the option within a minute
    # only, and its removal never.

    def _balancer(self, _name: str) -> Optional[str]:
        if not self._monitors.command_json("balancer status")["active"]:
            return "off"
        value = self._option(BALANCER_OPTION)
        return None if value is None else "on" if _is_true(value) else "off"

    # Fields of pools as "3/pg_autoscale_mode"; the autoscaler uses the same values.

    def _pool(self, name: str) -> str:
        number, _, field = name.partition("/")
        pools = {
            str(pool["pool_id"]): pool
            for pool in self._monitors.command_json("osd pool ls", detail="detail")
        }
        self._pool_names = {one: str(pool["pool_name"]) for one, pool in pools.items()}
        if number not in pools:
            raise NotFound(f"no pool {number}")
        return str(pools[number][field])

    def _pool_orders(self, name: str, value: Optional[str]) -> _Orders:
        """With the pool's name as it was read last, right before it is set."""
        number, _, field = name.partition("/")
        pool = self._pool_names.get(number, f"POOL-{number}")
        return [("osd pool set", {"pool": pool, "var": field, "val": value})]

    # An OSD's "7/primary_affinity" and "7/reweight", from 0 to 1, in the OSD map.

    def _weight(self, name: str) -> str:
        number, field, _ = _osd_field(name)
        try:
            found = self._monitors.command_json("osd info", id=number)
        except CommandFailed as error:
            if "does not exist" in str(error):  # EINVAL on Ceph 16, as bad arguments
                raise NotFound(f"there is no osd.{number}") from None
            raise
        return repr(float(found[field]))

    # Options of a section as "osd/osd_bench_duration", in the configuration database.

    def _option(self, name: str) -> Optional[str]:
        if self._clock is None or self._clock.monotonic() >= self._options_until:
            self._options = {
                f"{entry['section']}/{entry['name']}": str(entry["value"])
                for entry in self._monitors.command_json("config dump")
                if not entry["mask"]
            }
            if self._clock is not None:
                self._options_until = self._clock.monotonic() + _KEPT_SECONDS
        return self._options.get(name)


def _flag_orders(name: str, value: Optional[str]) -> _Orders:
    return [("osd set" if value == "set" else "osd unset", {"key": name})]


def _balancer_orders(_name: str, value: Optional[str]) -> _Orders:
    if value == "off":
        return [("balancer off", {})]
    # It sets the option to true, so every mgr has that value.
    removed = _option_orders(BALANCER_OPTION, None) if value is None else []
    return [("balancer on", {}), *removed]


def _weight_orders(name: str, value: Optional[str]) -> _Orders:
    number, _, command = _osd_field(name)
    if value is None:
        raise NotFound(f"{name} is always set")
    return [(command, {"id": number, "weight": float(value)})]


def _option_orders(name: str, value: Optional[str]) -> _Orders:
    section, _, option = name.partition("/")
    if value is None:
        return [("config rm", {"who": section, "name": option})]
    return [("config set", {"who": section, "name": option, "value": value})]


def _osd_field(name: str) -> tuple[int, str, str]:
    """The OSD, its field in the OSD map and the command of "7/reweight". Raises NotFound."""
    number, _, field = name.partition("/")
    found = _OSD_FIELDS.get(field)
    if found is None or not number.isascii() or not number.isdigit():
        raise NotFound(f"no setting 'osd/{name[:80]}'")
    return int(number), *found


def _is_true(value: str) -> bool:
    return value.lower() in ("true", "1", "yes")
