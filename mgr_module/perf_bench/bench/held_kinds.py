"""What can be held: how each kind of setting is read and set, and what a round wants of it.

Values are read from the monitors, because the mgr's copies lag behind. The balancer is asked
itself: a running mgr does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping
from typing import Callable, Optional

from ..errors import CommandFailed, NotFound
from ..model.quiesce import BALANCER, BALANCER_OPTION
from ..ports import Clock, Monitors

_Read = Callable[[str], Optional[str]]
_Set = Callable[[str, Optional[str]], None]
_Commands = Callable[[str, Optional[str]], list[str]]

# Seconds that the configuration is cached where hundreds of options are read.
_KEPT_SECONDS = 1.0
# Fields of OSDs in the OSD map, and the commands that set them.
_OSD_FIELDS = {
    "primary_affinity": ("primary_affinity", "osd primary-affinity"),
    "reweight": ("weight", "osd reweight"),
}


def wanted_for(
    moving_pools: Iterable[int], limits: Mapping[str, int], needed: Mapping[str, int]
) -> dict[str, Optional[str]]:
    """The settings that a round wants while it runs.

    ``moving_pools`` are the IDs of pools that the autoscaler is about to split or merge; it is
    switched off for each of them. The flag ``noautoscale`` of 17 and later is not used, because
    removing it has enabled pools that had been off before. ``limits`` are the present
    ``osd_bench_*`` options; they are raised to ``needed``, and never lowered.
    """
    raised = {
        f"config/osd/{option}": str(value)
        for option, value in sorted(needed.items())
        if limits.get(option, value) < value
    }
    pools = {f"pool/{pool}/pg_autoscale_mode": "off" for pool in sorted(moving_pools)}
    scrubs = {"flag/noscrub": "set", "flag/nodeep-scrub": "set"}
    return {**scrubs, BALANCER: "off", **pools, **raised}


class ClusterSettings:
    """Implements RoundSettings; each kind of setting has methods of its own."""

    def __init__(self, monitors: Monitors, clock: Optional[Clock] = None) -> None:
        """With a ``clock`` the configuration is read at most once a second.

        That is for changes of hundreds of options: with 10,000 OSDs the configuration is long.
        """
        self._monitors = monitors
        self._clock = clock
        self._options: dict[str, str] = {}
        self._options_until = -math.inf
        self._pool_names: dict[str, str] = {}
        self._kinds: Mapping[str, tuple[_Read, _Set, _Commands]] = {
            "flag": (self._flag, self._set_flag, _flag_commands),
            BALANCER: (self._balancer, self._set_balancer, _balancer_commands),
            "pool": (self._pool, self._set_pool, self._pool_commands),
            "config": (self._option, self._set_option, _option_commands),
            "osd": (self._weight, self._set_weight, _weight_commands),
        }

    def read(self, what: str) -> Optional[str]:
        (read, _, _), name = self._kind(what)
        return read(name)

    def forget(self) -> None:
        self._options_until = -math.inf

    def set(self, what: str, value: Optional[str]) -> None:
        (_, set_, _), name = self._kind(what)
        set_(name, value)

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        (_, _, commands), name = self._kind(what)
        return commands(name, value)

    def moving_pools(self) -> list[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""
        return [
            pool["pool_id"]
            for pool in self._monitors.command_json("osd pool autoscale-status")
            if pool["would_adjust"] and pool["pg_autoscale_mode"] == "on"
        ]

    def _kind(self, what: str) -> tuple[tuple[_Read, _Set, _Commands], str]:
        word, _, name = what.partition("/")
        if word not in self._kinds:
            raise NotFound(f"no setting '{what}'")
        return self._kinds[word], name

    # Flags of the OSD map, "set" or "unset". Only the monitors' map is read: an idle OSD gets the
    # newest map with its next operation (130 s later in a test), and nothing can speed that up.

    def _flag(self, name: str) -> str:
        flags = self._monitors.command_json("osd dump")["flags"].split(",")
        return "set" if name in flags else "unset"

    def _set_flag(self, name: str, value: Optional[str]) -> None:
        self._monitors.command("osd set" if value == "set" else "osd unset", key=name)

    # The balancer's own state: "on", "off", or None if it is on by default. It is switched by its
    # own command, which takes effect at once: it notices a change of the option within a minute
    # only, and its removal never.

    def _balancer(self, _name: str) -> Optional[str]:
        if not self._monitors.command_json("balancer status")["active"]:
            return "off"
        value = self._option(BALANCER_OPTION)
        return None if value is None else "on" if _is_true(value) else "off"

    def _set_balancer(self, _name: str, value: Optional[str]) -> None:
        if value == "off":
            self._monitors.command("balancer off")
            return
        self._monitors.command("balancer on")
        self.forget()
        if value is None:
            # The command above has set the option to true, so every mgr has that value.
            self._set_option(BALANCER_OPTION, None)
        elif not _is_true(self._option(BALANCER_OPTION) or "false"):
            self._set_option(BALANCER_OPTION, "true")

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

    def _set_pool(self, name: str, value: Optional[str]) -> None:
        number, _, field = name.partition("/")
        self._pool(name)
        self._monitors.command("osd pool set", pool=self._pool_names[number], var=field, val=value)

    def _pool_commands(self, name: str, value: Optional[str]) -> list[str]:
        """With the pool's name as it was read last."""
        number, _, field = name.partition("/")
        pool = shlex.quote(self._pool_names.get(number, f"POOL-{number}"))
        return [f"ceph osd pool set {pool} {field} {value}"]

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

    def _set_weight(self, name: str, value: Optional[str]) -> None:
        number, _, command = _osd_field(name)
        if value is None:
            raise NotFound(f"{name} is always set")
        self._monitors.command(command, id=number, weight=float(value))

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

    def _set_option(self, name: str, value: Optional[str]) -> None:
        section, _, option = name.partition("/")
        if value is None:
            self._monitors.command("config rm", who=section, name=option)
            self._options.pop(name, None)
        else:
            self._monitors.command("config set", who=section, name=option, value=value)
            self._options[name] = value


def _flag_commands(name: str, value: Optional[str]) -> list[str]:
    return [f"ceph osd {'set' if value == 'set' else 'unset'} {name}"]


def _balancer_commands(_name: str, value: Optional[str]) -> list[str]:
    if value == "off":
        return ["ceph balancer off"]
    removed = ["ceph config rm mgr mgr/balancer/active"] if value is None else []
    return ["ceph balancer on", *removed]


def _weight_commands(name: str, value: Optional[str]) -> list[str]:
    number, _, command = _osd_field(name)
    return [f"ceph {command} {number} {value}"]


def _option_commands(name: str, value: Optional[str]) -> list[str]:
    section, _, option = name.partition("/")
    if value is None:
        return [f"ceph config rm {section} {option}"]
    return [f"ceph config set {section} {option} {shlex.quote(value)}"]


def _osd_field(name: str) -> tuple[int, str, str]:
    """The OSD, its field in the OSD map and the command of "7/reweight". Raises NotFound."""
    number, _, field = name.partition("/")
    found = _OSD_FIELDS.get(field)
    if found is None or not number.isascii() or not number.isdigit():
        raise NotFound(f"no setting 'osd/{name[:80]}'")
    return int(number), *found


def _is_true(value: str) -> bool:
    return value.lower() in ("true", "1", "yes")
