"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the journal is at the
monitors.
"""

from __future__ import annotations

import argparse
import json
import logging
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from itertools import groupby
from typing import Any, Optional

from ..bench.held import MCLOCK, RELIEF, ROUND, Access, Held
from ..bench.held_kinds import ClusterSettings
from ..core.clock import SystemClock
from ..core.loop import complete
from ..errors import NotFound, PerfBenchError
from ..model.admission import Restored, SettingChange, UnreadableKey, why_out
from ..model.phrases import duration_text, harmless, plural
from .client import CephClient, PersonAuthority

# Seconds that a reading stays valid: it takes up to six runs of the client, 0.5 s and more each.
_FRESH = 25.0
_WIDTH = 80
_HOLDER = 32
_VALUE = 12
# Who changes settings that are put back on request only, by the holder in the journal.
_COMMANDS = {MCLOCK: "'mclock propose --apply'", RELIEF: "'osd relieve'"}


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

    def take(self, done: Restored, still: Sequence[SettingChange]) -> None:
        """Note what became of the change; ``still`` are those in the journal."""
        what = self.change.what
        waits = next((one.why for one in done.waiting if one.change.what == what), None)
        left = next((one for one in done.left if one.what == what), None)
        is_there = any(one.what == what for one in still)
        if waits or (done.unsaved and is_there):
            self.fate, self.why = Fate.WAITING, waits or done.unsaved
        elif left is not None:
            self.fate, self.found = (Fate.GONE if left.gone else Fate.LEFT), left.now
        elif is_there:
            self.fate, self.until = Fate.LATER, self.change.late_until
        else:
            is_back = any(one.what == what for one in done.put_back)
            self.fate = Fate.PUT_BACK if is_back else Fate.NOTHING


def add_to(commands: Any) -> None:
    """Add the sub-command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "restore",
        help="put back the settings that a round changed, if no mgr does it",
        description=(
            "Puts back the cluster's settings that rounds changed, from the journal at the "
            "monitors. Needs Ceph's client and an administrator's key, on any host; works also "
            "if no mgr has the module any more. Settings that somebody else has changed since "
            "stay. Exit code: 0 nothing is left to do, 1 something is left, 2 a round holds the "
            "settings or the journal cannot be read."
        ),
    )
    for option, said in (
        ("--dry-run", "show what would be put back, and change nothing"),
        ("--mclock", "also put back the capacities that 'mclock propose --apply' set"),
        ("--relief", "also undo what 'osd relieve' set"),
        ("--force", "also while a round holds the settings, or if that is not known"),
    ):
        parser.add_argument(option, action="store_true", help=said)
    parser.add_argument(
        "--format",
        choices=("plain", "json"),
        default="plain",
        help="what is printed (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print the plan, put back, print the outcome; returns the exit code.

    Raises Busy while a round holds settings, NotNow if that is not known, CommandFailed from the
    monitors.
    """
    clock = SystemClock()
    authority = PersonAuthority(client, args.force)
    authority.check()
    # Capacities are of each OSD: the configuration is not read anew for every one of them.
    settings = ClusterSettings(client, clock)
    access = Access(client, settings, authority, clock, logging.getLogger(__name__))
    users = {user: Held(user, access, fresh=_FRESH) for user in (ROUND, MCLOCK, RELIEF)}
    for held in users.values():
        complete(held.read())
    left_out = {user: users.pop(user) for user in (MCLOCK, RELIEF) if not getattr(args, user)}
    stay = {user: len(held.changes) for user, held in left_out.items()}
    capacities, reliefs = stay.get(MCLOCK, 0), stay.get(RELIEF, 0)
    rows = {
        user: [_row(settings, change) for change in held.changes] for user, held in users.items()
    }
    every = [row for part in rows.values() for row in part]
    bad = [one for held in users.values() for one in held.journal.unreadable]

    def say(text: str) -> None:
        if text and args.format == "plain":
            print(harmless(text), flush=True)

    say(_plan_text(every, bad, capacities, reliefs, clock.now()))
    unsaved: Optional[str] = None
    say("Putting back, the last one first:" if every and not args.dry_run else "")
    for user, held in users.items() if not args.dry_run else ():
        done = complete(held.release([row.change.what for row in rows[user]]))
        unsaved = unsaved or done.unsaved
        for row in reversed(rows[user]):
            row.take(done, held.changes)
            say(_outcome_text(row))
    left = sum(row.fate in (Fate.WAITING, Fate.LATER) for row in every)
    options = [f" --{name}" for name in (MCLOCK, RELIEF) if getattr(args, name)]
    say(_end_text(bad, unsaved, left, f"ceph-perf-bench restore{''.join(options)}"))
    is_complete = not (left or bad or unsaved or (args.dry_run and every))
    if every and (args.dry_run or is_complete):
        say("Dry run: nothing was changed." if args.dry_run else "Nothing is left to do.")
    if args.format == "json":
        fields = {
            "dry_run": args.dry_run,
            "complete": is_complete,
            "settings": [row.json() for row in every],
            "unreadable": [
                {"key": one.key, "why": one.why, "commands": _key_commands(one.key)} for one in bad
            ],
            "unsaved": unsaved,
            "capacities_left": capacities,
            "reliefs_left": reliefs,
        }
        print(json.dumps(fields, indent=2))
    return 0 if is_complete else 1


def _row(settings: ClusterSettings, change: SettingChange) -> Row:
    """A change with its setting's present value, and the commands that undo it."""
    row = Row(change)
    try:
        row.now = settings.read(change.what)
    except NotFound:
        row.gone = True
        return row
    except PerfBenchError as error:
        row.unread = str(error)
    row.out = why_out(change, row.now)
    if row.out is None:  # else a reweight would take the OSD in
        row.commands = settings.commands(change.what, change.was)
    return row


# --- the text -------------------------------------------------------------------------------------


def _plan_text(
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
    set_by = f"{plural(capacities, 'capacity', 'capacities')} set by 'mclock propose --apply'"
    relieved = f"{plural(reliefs, 'setting')} of OSDs changed by 'osd relieve'"
    for count, what, option in ((capacities, set_by, "--mclock"), (reliefs, relieved, "--relief")):
        verb, them = ("stays", "it") if count == 1 else ("stay", "them")
        if count:
            parts.append(_wrapped(f"{what} {verb}; {option} puts {them} back too."))
    return "\n".join(parts)


def _group_text(holder: str, group: Sequence[Row], now: float) -> str:
    who = _COMMANDS.get(holder) or f"Round {_clip(holder, _HOLDER)}"
    first = min(one.change.at for one in group)
    age = f", {duration_text(now - first)} ago" if 0 < first <= now else ""
    lines = [_wrapped(f"{who} changed {plural(len(group), 'setting')}{age}:")]
    names = max(len("SETTING"), *(len(one.change.what) for one in group))
    values = max(len("IS NOW"), *(len(_now(one)) for one in group))
    lines.append(f"{'SETTING':<{names}}  {'IS NOW':<{values}}  WAS BEFORE")
    for one in group:
        was = _value(one.change.was)
        notes = list(one.commands)
        if one.out is not None:
            notes += textwrap.wrap(f"({one.out})", _WIDTH - 4)
        if one.unread is not None:
            notes += textwrap.wrap(f"(not read: {one.unread})", _WIDTH - 4)
        lines.append(f"{one.change.what:<{names}}  {_now(one):<{values}}  {was}")
        lines += [f"    {note}" for note in notes]
    return "\n".join(lines)


def _now(row: Row) -> str:
    if row.gone:
        return "is gone"
    return "?" if row.unread is not None else _value(row.now)


def _outcome_text(row: Row) -> str:
    """One setting's outcome as a sentence."""
    was = _value(row.change.was)
    value = "not set" if row.found is None else f"'{row.found}'"
    back = "not set any more, as before" if row.change.was is None else f"put back to '{was}'"
    told = {
        Fate.PUT_BACK: back,
        Fate.LEFT: f"left: somebody else has made it {value} since",
        Fate.GONE: "gone: there is no such setting any more",
        Fate.NOTHING: f"nothing to do: it is '{was}', as before",
        Fate.WAITING: f"not yet: {row.why}",
        Fate.LATER: f"'{was}', as before, but a mgr that ended may have sent a command that "
        f"changes it late: run this again after {_iso(row.until)}",
    }
    return _wrapped(f"{row.change.what}: {told[row.fate or Fate.NOTHING]}")


def _end_text(bad: Sequence[UnreadableKey], unsaved: Optional[str], left: int, command: str) -> str:
    """What is left to do, as text; empty if nothing is. ``command`` does what is left."""
    parts = []
    if unsaved is not None:
        parts.append(_wrapped(f"The journal could not be updated: {unsaved}"))
    if left or unsaved is not None:
        not_yet = f"{plural(left, 'setting')} not put back yet: run" if left else "Run"
        parts.append(_wrapped(f"{not_yet} '{command}' again."))
    if bad:
        keys = f"{plural(len(bad), 'key')} of the journal cannot be read."
        by_hand = "Print its value, put back by hand the settings it names, then remove it:"
        parts.append(_wrapped(f"{keys} {by_hand}"))
    for one in bad:
        parts.append(_wrapped(f"{one.key}: {one.why}"))
        parts += [f"    {line}" for line in _key_commands(one.key)]
    return "\n".join(parts)


def _key_commands(key: str) -> list[str]:
    """The commands that show and remove a key."""
    return [f"ceph config-key {word} {shlex.quote(key)}" for word in ("get", "rm")]


def _iso(seconds: Optional[float]) -> Optional[str]:
    if not seconds:
        return None
    return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _value(value: Optional[str]) -> str:
    return "not set" if value is None else _clip(value, _VALUE)


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
