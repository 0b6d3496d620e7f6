"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the journal is at the
monitors.
"""

from __future__ import annotations

import argparse
import json
import logging
from typing import Any

from ..bench.held import MCLOCK, RELIEF, ROUND, Access, Held
from ..bench.held_kinds import ClusterSettings
from ..core.clock import SystemClock
from ..model.admission import Fate, Outcome, Restored, why_out
from ..model.json_fields import Json
from ..model.phrases import harmless
from .client import CephClient, PersonAuthority

# Those with which it is not as it should be.
_OPEN = (Fate.PENDING.value, Fate.WAITING.value)


def add_to(commands: Any) -> None:
    """Add the sub-command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "restore",
        help="put back the settings that a round changed, if no mgr does it",
        description=(
            "Puts back what rounds changed, from the journal at the monitors, on any host with an "
            "administrator's key. What somebody else has changed since stays. Exit code: 0 nothing "
            "is left to do, 1 something is left, 2 a round holds the settings or the journal "
            "cannot be read."
        ),
    )
    for option, said in (
        ("--dry-run", "show what would be put back, and change nothing"),
        ("--mclock", "also put back the capacities that 'mclock propose --apply' set"),
        ("--relief", "also undo what 'osd relieve' set"),
        ("--force", "also while a round holds the settings, or if that is not known"),
    ):
        parser.add_argument(option, action="store_true", help=said)
    parser.add_argument("--format", choices=("plain", "json"), default="plain", help="output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Put back, or show what would be; print the outcome; returns the exit code.

    Raises Busy while a round holds settings, NotNow if that is not known, CommandFailed from the
    monitors.
    """
    clock = SystemClock()
    authority = PersonAuthority(client, args.force)
    authority.check()
    settings, log = ClusterSettings(client, clock), logging.getLogger(__name__)
    access = Access(client, settings, authority, clock, log)
    others = [user for user in (MCLOCK, RELIEF) if not getattr(args, user)]
    rows: list[Json] = []
    problems: list[str] = []
    for user in (ROUND, *(user for user in (MCLOCK, RELIEF) if user not in others)):
        held = Held(user, access)
        held.read()
        done = _planned(held) if args.dry_run else held.release()
        unsaved = done.unsaved and f"the journal could not be updated: {done.unsaved}"
        problems += filter(None, (held.problem, unsaved))
        rows += [_row(settings, one) for one in done.outcomes]
    is_complete = not problems and not any(one["why"] or one["fate"] in _OPEN for one in rows)
    if args.format == "json":
        head = {"dry_run": args.dry_run, "complete": is_complete, "problems": problems}
        print(json.dumps({**head, "settings": rows}, indent=2))
    else:
        kept = " and ".join(f"--{user}" for user in others)
        whole = f"Nothing is left to do{f' without {kept}' if kept else ''}."
        left = (
            "Dry run: nothing was changed." if args.dry_run else "Not all is back: run this again."
        )
        print(harmless("\n".join((*map(_text, rows), *problems, whole if is_complete else left))))
    return 0 if is_complete else 1


def _planned(held: Held) -> Restored:
    """What would be put back, with the present values."""
    found = []
    for change in held.changes:
        now, unread = held.present(change.what)
        found.append(Outcome(change, Fate.PENDING, now, unread or why_out(change, now) or ""))
    return Restored(tuple(found))


def _row(settings: ClusterSettings, done: Outcome) -> Json:
    """What became of a setting, with the commands for what is left."""
    change = done.change
    # A reweight would take in an OSD that is out.
    is_open = done.fate.value in _OPEN and why_out(change, done.now) is None
    return {
        "what": change.what,
        "was": change.was,
        "now": done.now,
        "fate": done.fate.value,
        "why": done.why,
        "commands": settings.commands(change.what, change.was) if is_open else [],
    }


def _text(row: Json) -> str:
    line = f"{row['what']}: {row['fate']}, was {row['was'] or '-'}, is {row['now'] or '-'}"
    return "\n    ".join((f"{line}: {row['why']}" if row["why"] else line, *row["commands"]))
