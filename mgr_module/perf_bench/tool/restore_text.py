"""The output of ``ceph-perf-bench restore``, as text and as JSON."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from enum import Enum
from itertools import groupby
from typing import Any, NamedTuple, Optional

from ..model.duration import duration_text
from ..model.quiesce import SettingChange, UnreadableKey

_WIDTH = 80
_HOLDER = 32
_VALUE = 12


class Fate(str, Enum):
    """What became of a setting; WAITING and LATER leave something to do."""

    PUT_BACK = "put-back"
    LEFT = "left"
    GONE = "gone"
    NOTHING = "nothing"
    WAITING = "waiting"
    LATER = "later"


class SettingResult(NamedTuple):
    """The outcome of one change.

    ``now`` is the value that somebody else has set (LEFT). ``until`` is the unix time after which
    the pending command can no longer take effect (LATER).
    """

    change: SettingChange
    fate: Fate
    now: Optional[str] = None
    why: Optional[str] = None
    until: Optional[float] = None


class Seen(NamedTuple):
    """A change, the key that has it, its setting's present value, and the commands that undo it.

    ``unread`` says why the value cannot be read. ``out`` says that its OSD is out: then it waits,
    and no command is named, because it would take the OSD in.
    """

    change: SettingChange
    key: str
    now: Optional[str] = None
    unread: Optional[str] = None
    gone: bool = False
    commands: Sequence[str] = ()
    out: Optional[str] = None


class Found(NamedTuple):
    """What the journal names.

    ``capacities`` and ``reliefs`` count mClock capacities and reliefs of OSDs that stay.
    """

    seen: Sequence[Seen]
    unreadable: Sequence[UnreadableKey]
    capacities: int
    reliefs: int = 0

    @property
    def is_empty(self) -> bool:
        return not self.seen and not self.unreadable


# --- JSON ---------------------------------------------------------------------------------------


def shape(
    found: Found, outcomes: Sequence[SettingResult], unsaved: Optional[str]
) -> dict[str, Any]:
    """Settings with their outcomes, unreadable keys and capacities, as JSON fields."""
    by_setting = {outcome.change.what: outcome for outcome in outcomes}
    return {
        "settings": [_setting(one, by_setting.get(one.change.what)) for one in found.seen],
        "unreadable": [
            {"key": one.key, "why": one.why, "commands": _key_commands(one.key)}
            for one in found.unreadable
        ],
        "unsaved": unsaved,
        "capacities_left": found.capacities,
        "reliefs_left": found.reliefs,
    }


def _setting(seen: Seen, outcome: Optional[SettingResult]) -> dict[str, Any]:
    change = seen.change
    outcome_fields = None
    if outcome is not None:
        outcome_fields = {
            "fate": outcome.fate.value,
            "now": outcome.now,
            "why": outcome.why,
            "until": _iso(outcome.until),
        }
    return {
        "what": change.what,
        "now": seen.now,
        "unread": seen.unread,
        "gone": seen.gone,
        "waits": seen.out,
        "was": change.was,
        "want": change.want,
        "holder": change.holder,
        "at": _iso(change.at),
        "key": seen.key,
        "commands": list(seen.commands),
        "outcome": outcome_fields,
    }


def _iso(seconds: Optional[float]) -> Optional[str]:
    stamp = _utc(seconds)
    return None if stamp is None else stamp.strftime("%Y-%m-%dT%H:%M:%SZ")


def _utc(seconds: Optional[float]) -> Optional[datetime]:
    """None for 0 and for a number outside the calendar: a journal may contain any number."""
    try:
        return None if not seconds else datetime.fromtimestamp(seconds, tz=timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


# --- for people ---------------------------------------------------------------------------------


# Who changes settings that are put back on request only, by the holder in the journal.
_COMMANDS = {"mclock": "'mclock propose --apply'", "relief": "'osd relieve'"}


def plan_text(found: Found, now: float) -> str:
    """The settings to put back, and the commands that would do it by hand."""
    parts = [
        _group_text(holder, list(group), now)
        for holder, group in groupby(found.seen, key=lambda one: one.change.holder)
    ]
    if found.is_empty:
        parts.append("The journal names no setting to put back.")
    if found.capacities:
        parts.append(
            _wrapped(
                f"{_count(found.capacities, 'capacity', 'capacities')} set by 'mclock propose "
                f"--apply' {'stays' if found.capacities == 1 else 'stay'}; --mclock puts "
                f"{'it' if found.capacities == 1 else 'them'} back too."
            )
        )
    if found.reliefs:
        parts.append(
            _wrapped(
                f"{_count(found.reliefs, 'setting')} of OSDs changed by 'osd relieve' "
                f"{'stays' if found.reliefs == 1 else 'stay'}; --relief puts "
                f"{'it' if found.reliefs == 1 else 'them'} back too."
            )
        )
    return "\n".join(parts)


def _group_text(holder: str, group: Sequence[Seen], now: float) -> str:
    who = _COMMANDS.get(holder) or f"Round {_clip(holder, _HOLDER)}"
    count = _count(len(group), "setting")
    first = min(one.change.at for one in group)
    head = _wrapped(f"{who} changed {count}{_age(first, now)}:")
    rows = [
        (one.change.what, _now(one), _value(one.change.was), list(_notes(one))) for one in group
    ]
    names = max(len("SETTING"), *(len(row[0]) for row in rows))
    values = max(len("IS NOW"), *(len(row[1]) for row in rows))
    lines = [head, f"{'SETTING':<{names}}  {'IS NOW':<{values}}  WAS BEFORE"]
    for what, is_now, was, notes in rows:
        lines.append(f"{what:<{names}}  {is_now:<{values}}  {was}")
        lines += [f"    {note}" for note in notes]
    return "\n".join(lines)


def _notes(seen: Seen) -> Iterable[str]:
    yield from seen.commands
    if seen.out is not None:
        yield from textwrap.wrap(f"({seen.out})", _WIDTH - 4)
    if seen.unread is not None:
        yield from textwrap.wrap(f"(not read: {seen.unread})", _WIDTH - 4)


def _now(seen: Seen) -> str:
    if seen.gone:
        return "is gone"
    return "?" if seen.unread is not None else _value(seen.now)


def _age(changed_at: float, now: float) -> str:
    if changed_at <= 0:
        return ""
    if changed_at > now:
        return ", by a clock that is ahead of this host's"
    return f", {duration_text(now - changed_at)} ago"


def outcome_text(outcome: SettingResult) -> str:
    """One setting's outcome as a sentence."""
    change = outcome.change
    was = _value(change.was)
    if outcome.fate is Fate.PUT_BACK:
        said = f"put back to '{was}'"
        if change.was is None:
            said = "not set any more, as before"
    elif outcome.fate is Fate.LEFT:
        value = "not set" if outcome.now is None else f"'{outcome.now}'"
        said = f"left: somebody else has made it {value} since"
    elif outcome.fate is Fate.GONE:
        said = "gone: there is no such setting any more"
    elif outcome.fate is Fate.NOTHING:
        said = f"nothing to do: it is '{was}', as before"
    elif outcome.fate is Fate.WAITING:
        said = f"not yet: {outcome.why}"
    else:
        stamp = _utc(outcome.until)
        until = f" after {stamp:%Y-%m-%d %H:%M:%S} UTC" if stamp else ""
        said = (
            f"'{was}', as before, but a mgr that ended may have sent a command that changes it "
            f"late: run this again{until}"
        )
    return _wrapped(f"{change.what}: {said}")


def end_text(found: Found, unsaved: Optional[str], left: int, dry_run: bool, command: str) -> str:
    """What is left to do, as text; empty if nothing was to do. ``command`` does what is left."""
    parts = []
    if unsaved is not None:
        parts.append(_wrapped(f"The journal could not be updated: {unsaved}"))
    if left or unsaved is not None:
        not_yet = f"{_count(left, 'setting')} not put back yet: run" if left else "Run"
        parts.append(_wrapped(f"{not_yet} '{command}' again."))
    if found.unreadable:
        count = _count(len(found.unreadable), "key")
        parts.append(
            _wrapped(
                f"{count} of the journal cannot be read. Print its value, put back by hand the "
                f"settings it names, then remove it:"
            )
        )
        for one in found.unreadable:
            parts.append(_wrapped(f"{one.key}: {one.why}"))
            parts += [f"    {line}" for line in _key_commands(one.key)]
    if dry_run and found.seen:
        parts.append("Dry run: nothing was changed.")
    elif not parts and found.seen:
        parts.append("Nothing is left to do.")
    return "\n".join(parts)


def _key_commands(key: str) -> list[str]:
    return [f"ceph config-key {word} {shlex.quote(key)}" for word in ("get", "rm")]


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
