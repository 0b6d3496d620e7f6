"""The kinds of settings that can be changed: how to read and set each, and check its effect.

Values are read from the monitors, because the mgr's copies lag behind. A setting counts as put back
when the daemons that use it report the old value. For example, a running mgr does not notify its
modules of an option that was removed, so the state of the balancer is read from the balancer.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Optional, Protocol

from ..errors import CommandFailed, NotFound, PerfBenchError
from ..model.quiesce import BALANCER_OPTION, SettingChange, same_value
from ..model.relief import stored
from ..model.said import say
from ..ports import Clock, Monitors

BALANCER = "balancer"
# OSDs that are asked whether they have a new value of a common option.
_ASKED_OSDS = 5
# Lines of the audit log that are searched. Ceph 16 keeps 50 lines of a channel.
_AUDIT_LINES = 300
# Seconds that the configuration is cached where hundreds of options are read.
_KEPT_SECONDS = 1.0
# Changes of the configuration that are searched.
_CONFIG_CHANGES = 100
# Fields of OSDs in the OSD map, and the commands that set them.
_OSD_FIELDS = {
    "primary_affinity": ("primary_affinity", "osd primary-affinity"),
    "reweight": ("weight", "osd reweight"),
}
# What was asked is one object on Ceph 20, and a list of one before.
_AUDIT = re.compile(r"entity='([^']*)' cmd='?(\[.*\]|\{.*\})'? ?: (?:finished|dispatch)", re.DOTALL)


class Kind(Protocol):
    """One kind of setting. A new kind must define how its effect is checked (``lagging``)."""

    # A setting of this kind, for tests of all kinds.
    example: str

    def read(self, name: str, /) -> Optional[str]:
        """The present value; None for not set. Raises NotFound and the monitors' errors."""

    def set(self, name: str, value: Optional[str], /) -> None:
        """Set the value; None removes it. Raises the monitors' errors."""

    def lagging(self, name: str, change: SettingChange, /) -> Optional[str]:
        """After a change was undone: which daemon still uses the changed value, as a sentence."""

    def author(self, name: str, change: SettingChange, /) -> Optional[str]:
        """Who else (not a mgr) has set the held value, if Ceph knows."""

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

    def lagging(self, change: SettingChange) -> Optional[str]:
        kind, name = self._kind(change.what)
        return kind.lagging(name, change)

    def author(self, change: SettingChange) -> Optional[str]:
        kind, name = self._kind(change.what)
        return kind.author(name, change)

    def is_half_set(self, change: SettingChange, value: Optional[str]) -> bool:
        kind, _ = self._kind(change.what)
        # All others are set by one command.
        return isinstance(kind, Balancer) and kind.is_half_set(change, value)

    def commands(self, change: SettingChange) -> list[str]:
        kind, name = self._kind(change.what)
        return kind.commands(name, change.was)

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
            raise NotFound(say("no-setting", "no setting '{name}'", name=what))
        return self.kinds[word], name


class Flags:
    """Flags of the OSD map, "set" or "unset".

    Only the monitors' map is checked: an idle OSD gets the newest map with its next operation
    (130 s later in a test), and nothing can speed that up.
    """

    example = "flag/noscrub"

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors

    def read(self, name: str) -> Optional[str]:
        flags = self._monitors.command_json("osd dump")["flags"].split(",")
        return "set" if name in flags else "unset"

    def set(self, name: str, value: Optional[str]) -> None:
        self._monitors.command("osd set" if value == "set" else "osd unset", key=name)

    def lagging(self, name: str, change: SettingChange) -> Optional[str]:
        if self.read(name) == change.want:
            return say(
                "map-flag-left",
                "the OSD map still has {name} {now}",
                name=name,
                now=str(change.want),
            )
        return None

    def author(self, name: str, change: SettingChange) -> Optional[str]:
        command = "osd set" if change.want == "set" else "osd unset"
        for one in _audited(self._monitors, "info"):
            if one.words.get("key") == name and one.prefix in ("osd set", "osd unset"):
                return one.other if one.prefix == command else None
        return None

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        return [f"ceph osd {'set' if value == 'set' else 'unset'} {name}"]


class Balancer:
    """The balancer's own state: "on", "off", or None if it is on by default.

    It is switched by its own command, which takes effect at once. The balancer notices a change of
    the option within a minute only, and its removal never.
    """

    example = BALANCER

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors
        self._option = Options(monitors)

    def read(self, _name: str) -> Optional[str]:
        if not self._active():
            return "off"
        value = self._recorded()
        return None if value is None else "on" if _is_true(value) else "off"

    def set(self, _name: str, value: Optional[str]) -> None:
        if value == "off":
            self._monitors.command("balancer off")
            return
        self._monitors.command("balancer on")
        if value is None:
            # The command above has set the option to true, so every mgr has that value.
            self._option.set(BALANCER_OPTION, None)
        elif not _is_true(self._recorded() or "false"):
            self._option.set(BALANCER_OPTION, "true")

    def lagging(self, _name: str, change: SettingChange) -> Optional[str]:
        if change.was != "off" and not self._active():
            return say(
                "balancer-inactive", "'ceph balancer status' still says that it is not active"
            )
        if change.was is None and self._recorded() is not None:
            return say("balancer-option-set", "the option mgr/balancer/active is still set")
        return None

    def author(self, _name: str, change: SettingChange) -> Optional[str]:
        last = self._last_switched()
        return last.other if last and last.prefix == f"balancer {change.want}" else None

    def is_half_set(self, change: SettingChange, value: Optional[str]) -> bool:
        """Whether we have switched it on, but the option was not removed again."""
        if change.was is not None or value != "on":
            return False
        last = self._last_switched()
        return last is not None and last.prefix == "balancer on" and last.other is None

    def commands(self, _name: str, value: Optional[str]) -> list[str]:
        if value == "off":
            return ["ceph balancer off"]
        removed = ["ceph config rm mgr mgr/balancer/active"] if value is None else []
        return ["ceph balancer on", *removed]

    def _last_switched(self) -> Optional[_Audited]:
        commands = _audited(self._monitors, "debug")
        return next(
            (one for one in commands if one.prefix in ("balancer on", "balancer off")), None
        )

    def _active(self) -> bool:
        return bool(self._monitors.command_json("balancer status")["active"])

    def _recorded(self) -> Optional[str]:
        return self._option.read(BALANCER_OPTION)


class PoolFields:
    """Fields of pools as "3/pg_autoscale_mode"; the autoscaler uses the same values."""

    example = "pool/3/pg_autoscale_mode"

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
            raise NotFound(say("pool-gone", "no pool {pool}", pool=number))
        return str(pools[number][field])

    def set(self, name: str, value: Optional[str]) -> None:
        number, _, field = name.partition("/")
        self.read(name)
        self._monitors.command("osd pool set", pool=self._names[number], var=field, val=value)

    def lagging(self, name: str, change: SettingChange) -> Optional[str]:
        return _value_left(name, change) if self.read(name) == change.want else None

    def author(self, name: str, change: SettingChange) -> Optional[str]:
        number, _, field = name.partition("/")
        pool = self._names.get(number)
        for one in _audited(self._monitors, "info"):
            same = one.words.get("pool") == pool and one.words.get("var") == field
            if one.prefix == "osd pool set" and same:
                return one.other if str(one.words.get("val")) == change.want else None
        return None

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        number, _, field = name.partition("/")
        with suppress(PerfBenchError):
            self.read(name)
        pool = shlex.quote(self._names.get(number, f"POOL-{number}"))
        return [f"ceph osd pool set {pool} {field} {value}"]


class OsdWeights:
    """An OSD's "7/primary_affinity" and "7/reweight", from 0 to 1, in the OSD map."""

    example = "osd/7/primary_affinity"

    def __init__(self, monitors: Monitors) -> None:
        self._monitors = monitors

    def read(self, name: str) -> Optional[str]:
        number, field, _ = _osd_field(name)
        try:
            found = self._monitors.command_json("osd info", id=number)
        except CommandFailed as error:
            if "does not exist" in str(error):  # EINVAL on Ceph 16, as bad arguments
                raise NotFound(say("osd-gone", "there is no osd.{osd}", osd=number)) from None
            raise
        return repr(float(found[field]))

    def set(self, name: str, value: Optional[str]) -> None:
        number, _, command = _osd_field(name)
        if value is None:
            raise NotFound(f"{name} is always set")
        self._monitors.command(command, id=number, weight=float(value))

    def lagging(self, name: str, change: SettingChange) -> Optional[str]:
        return _value_left(name, change) if same_value(self.read(name), change.want) else None

    def author(self, name: str, change: SettingChange) -> Optional[str]:
        number, _, command = _osd_field(name)
        for one in _audited(self._monitors, "info"):
            if one.prefix == command and str(one.words.get("id")) in (str(number), f"osd.{number}"):
                same = _stored_as(one.words.get("weight"), change.want)
                return one.other if same else None
        return None

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        number, _, command = _osd_field(name)
        return [f"ceph {command} {number} {value}"]


def _value_left(name: str, change: SettingChange) -> str:
    now = str(change.want)
    return say("map-value-left", "the OSD map still has {now} for {name}", name=name, now=now)


def _osd_field(name: str) -> tuple[int, str, str]:
    """The OSD, its field in the OSD map and the command of "7/reweight". Raises NotFound."""
    number, _, field = name.partition("/")
    found = _OSD_FIELDS.get(field)
    if found is None or not number.isascii() or not number.isdigit():
        raise NotFound(say("no-setting", "no setting '{name}'", name=f"osd/{name[:80]}"))
    return int(number), *found


def _stored_as(typed: Any, value: Optional[str]) -> bool:
    """Whether the OSD map keeps the weight that somebody typed as this value."""
    try:
        return same_value(stored(float(typed)), value)
    except (TypeError, ValueError, OverflowError):
        return False


class Options:
    """Options of a section as "osd/osd_bench_duration", in the configuration database."""

    example = "config/osd/osd_bench_duration"

    def __init__(self, monitors: Monitors, clock: Optional[Clock] = None) -> None:
        """With a ``clock`` the database's content is cached for a second."""
        self._monitors = monitors
        self._clock = clock
        self._kept: dict[str, str] = {}
        self._until = -math.inf
        # By name the newest version in the log right after this process has set the option.
        self._versions: dict[str, int] = {}

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
        self._versions.pop(name, None)
        if value is None:
            self._monitors.command("config rm", who=section, name=option)
            self._kept.pop(name, None)
            return
        self._monitors.command("config set", who=section, name=option, value=value)
        self._kept[name] = value
        with suppress(PerfBenchError, LookupError, TypeError, ValueError):
            self._versions[name] = int(
                self._monitors.command_json("config log", num=1)[0]["version"]
            )

    def lagging(self, name: str, change: SettingChange) -> Optional[str]:
        section, _, option = name.partition("/")
        for osd in self._osds(section):
            try:
                value = str(self._monitors.osd_command_json(osd, "config get", var=option)[option])
            except (PerfBenchError, KeyError, TypeError):
                continue  # it is down, stuck, or of a release without the option
            if same_value(value, change.want) and not same_value(value, self._wanted(osd, option)):
                return say(
                    "osd-still-uses",
                    "osd.{osd} still uses {option} = {value}",
                    osd=osd,
                    option=option,
                    value=value,
                )
        return None

    def author(self, name: str, change: SettingChange) -> Optional[str]:
        """Return "somebody" if the log has the held value again after this process has set it.

        Entries are compared by version, not by time: the last round may have set the same value
        shortly before. None if another process has set the option: only that one knows the version.
        """
        ours = self._versions.get(name)
        if ours is None:
            return None
        for entry in self._monitors.command_json("config log", num=_CONFIG_CHANGES):
            if int(entry["version"]) <= ours:
                break
            for one in entry.get("changes", ()):
                if one.get("name") == name and same_value(one.get("new_value"), change.want):
                    return "somebody"
        return None

    def commands(self, name: str, value: Optional[str]) -> list[str]:
        section, _, option = name.partition("/")
        if value is None:
            return [f"ceph config rm {section} {option}"]
        return [f"ceph config set {section} {option} {shlex.quote(value)}"]

    def _osds(self, section: str) -> Sequence[int]:
        """Some of the OSDs that use this section."""
        if section.startswith("osd."):
            return [int(section[4:])] if section[4:].isdigit() else []
        if section != "osd":
            return []
        all_osds = sorted(self._monitors.command_json("osd ls"))
        step = max(1, len(all_osds) // _ASKED_OSDS)
        return all_osds[::step][:_ASKED_OSDS]

    def _wanted(self, osd: int, option: str) -> str:
        """The value that this OSD should have, by the monitors' configuration."""
        return self._monitors.command("config get", who=f"osd.{osd}", key=option).decode().strip()


class _Audited(NamedTuple):
    """One command in the audit log; ``other`` is the client that sent it, None for a daemon."""

    prefix: str
    words: Mapping[str, Any]
    other: Optional[str]


def _audited(monitors: Monitors, level: str) -> Iterator[_Audited]:
    """The commands in the audit log, newest first. The log does not contain `config set`."""
    lines = monitors.command_json("log last", num=_AUDIT_LINES, level=level, channel="audit")
    for line in reversed(lines):
        match = _AUDIT.search(str(line.get("message", "")))
        if match is None:
            continue
        try:
            found = json.loads(match[2])
            (words,) = [found] if isinstance(found, dict) else found
        except (ValueError, TypeError, RecursionError):
            continue
        if not isinstance(words, dict):
            continue
        # Our own commands come from the mgr, or from the monitor that forwarded them.
        other = match[1] if match[1].startswith("client.") else None
        yield _Audited(str(words.get("prefix", "")), words, other)


def _is_true(value: str) -> bool:
    return value.lower() in ("true", "1", "yes")
