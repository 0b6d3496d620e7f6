"""The output of ``ceph-perf-bench restore``, as text and as JSON."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from itertools import groupby
from typing import Any, Optional

from ..model.arguments import duration_text
from ..model.quiesce import SettingChange, UnreadableKey

_WIDTH = 80
_HOLDER = 32
_VALUE = 12
# Who changes settings that are put back on request only, by the holder in the journal.
_COMMANDS = {"mclock": "'mclock propose --apply'", "relief": "'osd relieve'"}


class Fate(str, Enum):
    """What became of a setting; WAITING and LATER leave something to do."""

    PUT_BACK = "put-back"
    LEFT = "left"
    GONE = "gone"
    NOTHING = "nothing"
    WAITING = "waiting"
    LATER = "later"


@dataclass
class Row:
    """A change, its setting's value before anything is done, and what became of it.

    ``unread`` says why the value cannot be read. ``out`` says that its OSD is out: then it waits,
    and no command is named, because it would take the OSD in. ``found`` is the value that somebody
    else has set (LEFT), ``why`` what it waits for (WAITING), ``until`` the unix time after which a
    pending command can no longer take effect (LATER).
    """

    change: SettingChange
    now: Optional[str] = None
    unread: Optional[str] = None
    gone: bool = False
    commands: Sequence[str] = ()
    out: Optional[str] = None
    fate: Optional[Fate] = None
    found: Optional[str] = None
    why: Optional[str] = None
    until: Optional[float] = None

    def json(self) -> dict[str, Any]:
        """The row as JSON fields."""
        outcome = {"now": self.found, "why": self.why, "until": _iso(self.until)}
        return {
            "what": self.change.what,
            "now": self.now,
            "unread": self.unread,
            "gone": self.gone,
            "waits": self.out,
            "was": self.change.was,
            "want": self.change.want,
            "holder": self.change.holder,
            "at": _iso(self.change.at),
            "commands": list(self.commands),
            "outcome": None if self.fate is None else {"fate": self.fate.value, **outcome},
        }


def plan_text(
    rows: Sequence[Row], bad: Sequence[UnreadableKey], capacities: int, reliefs: int, now: float
) -> str:
    """The settings to put back, and the commands that would do it by hand.

    ``capacities`` and ``reliefs`` count the settings that stay.
    """
    parts = [
        _group_text(holder, list(group), now)
        for holder, group in groupby(rows, key=lambda one: one.change.holder)
    ]
    if not rows and not bad:
        parts.append("The journal names no setting to put back.")
    set_by = f"{_count(capacities, 'capacity', 'capacities')} set by 'mclock propose --apply'"
    relieved = f"{_count(reliefs, 'setting')} of OSDs changed by 'osd relieve'"
    for count, what, option in ((capacities, set_by, "--mclock"), (reliefs, relieved, "--relief")):
        verb, them = ("stays", "it") if count == 1 else ("stay", "them")
        if count:
            parts.append(_wrapped(f"{what} {verb}; {option} puts {them} back too."))
    return "\n".join(parts)


def _group_text(holder: str, group: Sequence[Row], now: float) -> str:
    who = _COMMANDS.get(holder) or f"Round {_clip(holder, _HOLDER)}"
    first = min(one.change.at for one in group)
    lines = [_wrapped(f"{who} changed {_count(len(group), 'setting')}{_age(first, now)}:")]
    names = max(len("SETTING"), *(len(one.change.what) for one in group))
    values = max(len("IS NOW"), *(len(_now(one)) for one in group))
    lines.append(f"{'SETTING':<{names}}  {'IS NOW':<{values}}  WAS BEFORE")
    for one in group:
        was = _value(one.change.was)
        lines.append(f"{one.change.what:<{names}}  {_now(one):<{values}}  {was}")
        lines += [f"    {note}" for note in _notes(one)]
    return "\n".join(lines)


def _notes(row: Row) -> Iterator[str]:
    yield from row.commands
    if row.out is not None:
        yield from textwrap.wrap(f"({row.out})", _WIDTH - 4)
    if row.unread is not None:
        yield from textwrap.wrap(f"(not read: {row.unread})", _WIDTH - 4)


def _now(row: Row) -> str:
    if row.gone:
        return "is gone"
    return "?" if row.unread is not None else _value(row.now)


def _age(changed_at: float, now: float) -> str:
    if changed_at <= 0:
        return ""
    if changed_at > now:
        return ", by a clock that is ahead of this host's"
    return f", {duration_text(now - changed_at)} ago"


def outcome_text(row: Row) -> str:
    """One setting's outcome as a sentence."""
    was = _value(row.change.was)
    value = "not set" if row.found is None else f"'{row.found}'"
    back = "not set any more, as before" if row.change.was is None else f"put back to '{was}'"
    said = {
        Fate.PUT_BACK: back,
        Fate.LEFT: f"left: somebody else has made it {value} since",
        Fate.GONE: "gone: there is no such setting any more",
        Fate.NOTHING: f"nothing to do: it is '{was}', as before",
        Fate.WAITING: f"not yet: {row.why}",
        Fate.LATER: f"'{was}', as before, but a mgr that ended may have sent a command that "
        f"changes it late: run this again after {_iso(row.until)}",
    }
    return _wrapped(f"{row.change.what}: {said[row.fate or Fate.NOTHING]}")


def end_text(bad: Sequence[UnreadableKey], unsaved: Optional[str], left: int, command: str) -> str:
    """What is left to do, as text; empty if nothing is. ``command`` does what is left."""
    parts = []
    if unsaved is not None:
        parts.append(_wrapped(f"The journal could not be updated: {unsaved}"))
    if left or unsaved is not None:
        not_yet = f"{_count(left, 'setting')} not put back yet: run" if left else "Run"
        parts.append(_wrapped(f"{not_yet} '{command}' again."))
    if bad:
        parts.append(
            _wrapped(
                f"{_count(len(bad), 'key')} of the journal cannot be read. Print its value, put "
                f"back by hand the settings it names, then remove it:"
            )
        )
    for one in bad:
        parts.append(_wrapped(f"{one.key}: {one.why}"))
        parts += [f"    {line}" for line in key_commands(one.key)]
    return "\n".join(parts)


def key_commands(key: str) -> list[str]:
    """The commands that show and remove a key."""
    return [f"ceph config-key {word} {shlex.quote(key)}" for word in ("get", "rm")]


def _iso(seconds: Optional[float]) -> Optional[str]:
    if not seconds:
        return None
    return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _count(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


def _value(value: Optional[str]) -> str:
    return "not set" if value is None else _clip(value, _VALUE)


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
