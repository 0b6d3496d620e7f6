"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the journal is at the
monitors.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Sequence
from typing import Any, Optional

from ..bench.held import MCLOCK, RELIEF, ROUND, Access, Held
from ..bench.held_kinds import ClusterSettings
from ..core.clock import SystemClock
from ..core.loop import complete
from ..errors import NotFound, PerfBenchError
from ..model.phrases import harmless
from ..model.quiesce import Restored, SettingChange, why_out
from .authority import PersonAuthority
from .client import CephClient
from .monitors import CephMonitors
from .restore_text import Fate, Row, end_text, key_commands, outcome_text, plan_text

# Seconds that a reading stays valid: it takes up to six runs of the client, 0.5 s and more each.
_FRESH = 25.0


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
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be put back, and change nothing"
    )
    parser.add_argument(
        "--mclock",
        action="store_true",
        help="also put back the capacities that 'mclock propose --apply' set",
    )
    parser.add_argument(
        "--relief",
        action="store_true",
        help="also undo what 'osd relieve' set",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="also while a round holds the settings, or if that is not known",
    )
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
    monitors, clock = CephMonitors(client), SystemClock()
    authority = PersonAuthority(client, monitors, args.force)
    authority.check()
    # Capacities are of each OSD: the configuration is not read anew for every one of them.
    settings = ClusterSettings(monitors, clock)
    access = Access(monitors, settings, authority, clock, logging.getLogger(__name__))
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
    say = _say if args.format == "plain" else _nothing
    say(plan_text(every, bad, capacities, reliefs, clock.now()))
    unsaved: Optional[str] = None
    say("Putting back, the last one first:" if every and not args.dry_run else "")
    for user, held in users.items() if not args.dry_run else ():
        done = complete(held.release([row.change.what for row in rows[user]]))
        unsaved = unsaved or done.unsaved
        for row in reversed(rows[user]):
            _note(row, done, held.changes)
            say(outcome_text(row))
    left = sum(row.fate in (Fate.WAITING, Fate.LATER) for row in every)
    say(end_text(bad, unsaved, left, _command(args)))
    is_complete = not (left or bad or unsaved or (args.dry_run and every))
    if every and (args.dry_run or is_complete):
        say("Dry run: nothing was changed." if args.dry_run else "Nothing is left to do.")
    if args.format == "json":
        fields = {
            "dry_run": args.dry_run,
            "complete": is_complete,
            "settings": [row.json() for row in every],
            "unreadable": [
                {"key": one.key, "why": one.why, "commands": key_commands(one.key)} for one in bad
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


def _note(row: Row, done: Restored, still: Sequence[SettingChange]) -> None:
    """Note what became of a change; ``still`` are those in the journal."""
    what = row.change.what
    waits = [one.why for one in done.waiting if one.change.what == what]
    left = [one for one in done.left if one.what == what]
    if waits or (done.unsaved and any(one.what == what for one in still)):
        row.fate, row.why = Fate.WAITING, waits[0] if waits else done.unsaved
    elif left:
        row.fate, row.found = (Fate.GONE if left[0].gone else Fate.LEFT), left[0].now
    elif any(one.what == what for one in still):
        row.fate, row.until = Fate.LATER, row.change.late_until
    elif any(one.what == what for one in done.put_back):
        row.fate = Fate.PUT_BACK
    else:
        row.fate = Fate.NOTHING


def _command(args: argparse.Namespace) -> str:
    """The command that undoes the same again; without its options these journal would stay."""
    options = [f" --{name}" for name in (MCLOCK, RELIEF) if getattr(args, name)]
    return f"ceph-perf-bench restore{''.join(options)}"


def _nothing(_text: str) -> None:
    """Print nothing."""


def _say(text: str) -> None:
    if text:
        print(harmless(text), flush=True)
