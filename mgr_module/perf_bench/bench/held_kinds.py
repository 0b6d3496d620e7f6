"""What can be held: how each kind of setting is read and set, and what a round wants of it.

Values are read from the monitors, because the mgr's copies lag behind. The balancer is asked
itself: a running mgr does not tell its modules of an option that was removed.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping
from typing import Optional, Protocol

from ..errors import CommandFailed, NotFound
from ..model.quiesce import BALANCER, BALANCER_OPTION
from ..ports import Clock, Monitors

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


class Kind(Protocol):
    """One kind of setting."""

    def read(self, name: str, /) -> Optional[str]:
        """The present value; None for not set. Raises NotFound and the monitors' errors."""

    def set(self, name: str, value: Optional[str], /) -> None:
        """Set the value; None removes it. Raises the monitors' errors."""

    def commands(self, name: str, value: Optional[str], /) -> list[str]:
        """The commands with which an operator sets the value."""


class ClusterSettings:
    """Implements RoundSettings."""

    def __init__(self, monitors: Monitors, clock: Optional[Clock] = None) -> None:
        """With a ``clock`` the configuration is read at most once a second.

        That is for changes of hundreds of options: with 10,000 OSDs the configuration is long.
        """
        self._monitors = monitors
        self._options = Options(monitors, clock)
        self.kinds: Mapping[str, Kind] = {
            "flag": Flags(monitors),
            BALANCER: Balancer(monitors),
            "pool": PoolFields(monitors),
            "config": self._options,
            "osd": OsdWeights(monitors),
        }

    def read(self, what: str) -> Optional[str]:
        kind, name = self._kind(what)
        return kind.read(name)

    def forget(self) -> None:
        self._options.forget()

    def set(self, what: str, value: Optional[str]) -> None:
        kind, name = self._kind(what)
        kind.set(name, value)

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        kind, name = self._kind(what)
        return kind.commands(name, value)

    def moving_pools(self) -> list[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""
        return [
            pool["pool_id"]
            for pool in self._monitors.command_json("osd pool autoscale-status")
            if pool["would_adjust"] and pool["pg_autoscale_mode"] == "on"
        ]

    def _kind(self, what: str) -> tuple[Kind, str]:
        word, _, name = what.partition("/")
        if word not in self.kinds:
            raise NotFound(f"no setting '{what}'")
        return self.kinds[word], name


class Flags:
    """Flags of the OSD map, "set" or "unset".

    Only the monitors' map is checked: an idle OSD gets the newest map with its next operation
    (130 s later in a test), and nothing can speed that up.
    """

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors

    def read(self, name: str) -> Optional[str]:
        flags = self._monitors.command_json("osd dump")["flags"].split(",")
        return "set" if name in flags else "unset"

    def set(self, name: str, value: Optional[str]) -> None:
        self._monitors.command("osd set" if value == "set" else "osd unset", key=name)

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        return [f"ceph osd {'set' if value == 'set' else 'unset'} {name}"]


class Balancer:
    """The balancer's own state: "on", "off", or None if it is on by default.

    It is switched by its own command, which takes effect at once. The balancer notices a change of
    the option within a minute only, and its removal never.
    """

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors
        self._option = Options(monitors)

    def read(self, _name: str) -> Optional[str]:
        if not self._monitors.command_json("balancer status")["active"]:
            return "off"
        value = self._option.read(BALANCER_OPTION)
        return None if value is None else "on" if _is_true(value) else "off"

    def set(self, _name: str, value: Optional[str]) -> None:
        if value == "off":
            self._monitors.command("balancer off")
            return
        self._monitors.command("balancer on")
        if value is None:
            # The command above has set the option to true, so every mgr has that value.
            self._option.set(BALANCER_OPTION, None)
        elif not _is_true(self._option.read(BALANCER_OPTION) or "false"):
            self._option.set(BALANCER_OPTION, "true")

    def commands(self, _name: str, value: Optional[str]) -> list[str]:
        if value == "off":
            return ["ceph balancer off"]
        removed = ["ceph config rm mgr mgr/balancer/active"] if value is None else []
        return ["ceph balancer on", *removed]


class PoolFields:
    """Fields of pools as "3/pg_autoscale_mode"; the autoscaler uses the same values."""

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors
        self._names: dict[str, str] = {}

    def read(self, name: str) -> Optional[str]:
        """The value; reads one pool if its name is known, because the list of all may be long."""
        number, _, field = name.partition("/")
        if number in self._names:
            try:
                pool = self._monitors.command_json(
                    "osd pool get", pool=self._names[number], var=field
                )
                if str(pool["pool_id"]) == number:
                    return str(pool[field])
            except CommandFailed:  # the pool was renamed or removed
                pass
        pools = {
            str(pool["pool_id"]): pool
            for pool in self._monitors.command_json("osd pool ls", detail="detail")
        }
        self._names = {one: str(pool["pool_name"]) for one, pool in pools.items()}
        if number not in pools:
            raise NotFound(f"no pool {number}")
        return str(pools[number][field])

    def set(self, name: str, value: Optional[str]) -> None:
        number, _, field = name.partition("/")
        self.read(name)
        self._monitors.command("osd pool set", pool=self._names[number], var=field, val=value)

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        """With the pool's name as it was read last."""
        number, _, field = name.partition("/")
        pool = shlex.quote(self._names.get(number, f"POOL-{number}"))
        return [f"ceph osd pool set {pool} {field} {value}"]


class OsdWeights:
    """An OSD's "7/primary_affinity" and "7/reweight", from 0 to 1, in the OSD map."""

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors

    def read(self, name: str) -> Optional[str]:
        number, field, _ = _osd_field(name)
        try:
            found = self._monitors.command_json("osd info", id=number)
        except CommandFailed as error:
            if "does not exist" in str(error):  # EINVAL on Ceph 16, as bad arguments
                raise NotFound(f"there is no osd.{number}") from None
            raise
        return repr(float(found[field]))

    def set(self, name: str, value: Optional[str]) -> None:
        number, _, command = _osd_field(name)
        if value is None:
            raise NotFound(f"{name} is always set")
        self._monitors.command(command, id=number, weight=float(value))

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        number, _, command = _osd_field(name)
        return [f"ceph {command} {number} {value}"]


class Options:
    """Options of a section as "osd/osd_bench_duration", in the configuration database."""

    def __init__(self, monitors: Monitors, clock: Optional[Clock] = None) -> None:
        """With a ``clock`` the database's content is cached for a second."""
        self._monitors = monitors
        self._clock = clock
        self._kept: dict[str, str] = {}
        self._until = -math.inf

    def read(self, name: str) -> Optional[str]:
        if self._clock is None or self._clock.monotonic() >= self._until:
            self._kept = {
                f"{entry['section']}/{entry['name']}": str(entry["value"])
                for entry in self._monitors.command_json("config dump")
                if not entry["mask"]
            }
            if self._clock is not None:
                self._until = self._clock.monotonic() + _KEPT_SECONDS
        return self._kept.get(name)

    def forget(self) -> None:
        """Forget the cached content."""
        self._until = -math.inf

    def set(self, name: str, value: Optional[str]) -> None:
        section, _, option = name.partition("/")
        if value is None:
            self._monitors.command("config rm", who=section, name=option)
            self._kept.pop(name, None)
        else:
            self._monitors.command("config set", who=section, name=option, value=value)
            self._kept[name] = value

    def commands(self, name: str, value: Optional[str]) -> list[str]:
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
