"""The journal of changed settings, in the monitors' config-key store.

The monitors can be written while no placement group is active. Each process writes keys of its
own, takes over what others have recorded and removes theirs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, Protocol

from ..errors import PerfBenchError
from ..model.json_fields import FAULTS, decode, from_json
from ..model.phrases import one_line
from ..model.quiesce import BALANCER, SettingChange, UnreadableKey

KEYS = "mgr/perf_bench/held"
# Who holds settings. Those of a round are put back by themselves, the others on request only.
ROUND, MCLOCK, RELIEF = "round", "mclock", "relief"
# Below these earlier versions kept a key for each change; they are taken over as those of others.
EARLIER_KEYS = {
    ROUND: "mgr/perf_bench/quiesce",
    MCLOCK: "mgr/perf_bench/mclock",
    RELIEF: "mgr/perf_bench/relief",
}
FORMAT = 3
# Seconds after which monitors no longer carry out a command whose sender has died. They do within
# their lease and one election (5 s each by default) once they have it; a monitor that is paged out
# or partitioned takes longer, and forwards it when it is back. Counted from when the change was
# recorded, by the clocks of mgrs, which are those of the monitors within moments.
LATE = 600.0

# OSDs or pools whose changes share a key, which holds at most 64 KiB.
_PER_KEY = 100
_NUMBER = re.compile(r"(?:/osd\.|^osd/|^pool/)(\d+)/")
_KINDS = ("flag/", BALANCER, "pool/", "config/", "osd/")
_LATEST = 1e11  # unix seconds that have a date


class Monitors(Protocol):
    """Commands to the monitors, which forward those of mgr modules to the active mgr.

    Arguments are in the order of the command line. All raise CommandFailed with the daemon's
    errno, or ETIMEDOUT after a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output."""


class Authority(Protocol):
    """This process's right to change the cluster's settings."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow if another mgr is active."""


class Journal:
    """The keys of one user (``ROUND`` and so on). Its calls wait for the monitors."""

    def __init__(self, user: str, monitors: Monitors, authority: Authority) -> None:
        self._below = f"{KEYS}/{user}"
        self._earlier = EARLIER_KEYS[user]
        self._monitors = monitors
        self._authority = authority
        # As they stand at the monitors; those that cannot be read are left alone.
        self._texts: dict[str, str] = {}
        self.unreadable: tuple[UnreadableKey, ...] = ()

    def read(self) -> list[SettingChange]:
        """All changes, in the order of making. Raises the monitors' errors."""
        texts: dict[str, str] = {}
        found: list[SettingChange] = []
        bad: list[UnreadableKey] = []
        for key, text in sorted(self._dump()):
            try:
                found += changes_in(text)
            except FAULTS as error:
                bad.append(UnreadableKey(key, one_line(str(error) or repr(error))))
            else:
                texts[key] = text
        self._texts, self.unreadable = texts, tuple(bad)
        return sorted(found, key=lambda one: one.at)

    def save(self, changes: Iterable[SettingChange]) -> None:
        """Record these in keys of this process, and remove all others.

        Raises NotNow if another mgr is active, and the monitors' errors.
        """
        parts: dict[str, list[dict[str, Any]]] = {}
        for change in changes:
            number = _NUMBER.search(change.what)
            part = f".{int(number[1]) // _PER_KEY}" if number else ""
            key = f"{self._below}/{self._authority.writer}{part}"
            parts.setdefault(key, []).append(asdict(change))
        texts = {
            key: json.dumps({"format": FORMAT, "changes": part}) for key, part in parts.items()
        }
        if texts == self._texts:
            return
        self._authority.check()
        for key, text in texts.items():
            if self._texts.get(key) != text:
                self._monitors.command("config-key set", key=key, val=text)
                self._texts[key] = text
        for key in self._texts.keys() - texts.keys():
            self._monitors.command("config-key rm", key=key)
            del self._texts[key]

    def _dump(self) -> Iterator[tuple[str, Any]]:
        for below in (self._below, self._earlier):
            dump = self._monitors.command_json("config-key dump", key=below)
            if not isinstance(dump, Mapping):
                raise PerfBenchError("the monitors' answer about changed settings cannot be read")
            yield from ((key, dump[key]) for key in dump if f"{key}/".startswith(f"{below}/"))


def changes_in(text: Any) -> list[SettingChange]:
    """The changes of a key, also of one that an earlier version has written. Raises FAULTS."""
    document = from_json(text, "it")
    if not isinstance(document, dict):
        raise TypeError("it is not a JSON object")
    version = document.get("format", 1)
    if version not in range(1, FORMAT + 1):
        raise ValueError(f"it has format {version!r:.40}, written by a newer version")
    # Earlier versions had a key for each change, or beside several what they share.
    alone = [document] if "what" in document else []
    found = [_checked({**document, **one}) for one in document.get("changes", alone)]
    if version < FORMAT:  # they said elsewhere whether a command was answered
        found = [replace(change, late_until=change.at + LATE) for change in found]
    return found


def _checked(saved: Any) -> SettingChange:
    change = decode(SettingChange, saved)
    values = (change.was, change.want, *change.also)
    texts = [change.what, change.holder, *(value for value in values if value is not None)]
    if any(not text or len(text) > 1024 or not text.isprintable() for text in texts):
        raise ValueError("a name or value is not a short text")
    if not change.what.startswith(_KINDS):
        raise ValueError(f"no setting is called '{change.what[:80]}'")
    times = (change.at, change.until or 0.0, change.late_until)
    if not all(0 <= time <= _LATEST for time in times):
        raise ValueError("a time is not one")
    return change
