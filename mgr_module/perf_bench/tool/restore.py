"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the monitors keep
the journal.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from typing import Any

from ..model.printable import harmless
from ..settings.journal import MCLOCK_JOURNAL, RELIEF_JOURNAL, Journal
from .authority import PersonAuthority
from .client import CephClient
from .monitors import CephMonitors
from .restore_text import Found, end_text, outcome_text, plan_text, shape
from .undoing import Restorer, Result, SettingResult

_OPEN = (Result.WAITING, Result.LATER)


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
    monitors = CephMonitors(client)
    authority = PersonAuthority(client, monitors, args.force)
    authority.check()
    restorers = [Restorer(monitors, authority)]
    if args.mclock:
        restorers.append(Restorer(monitors, authority, MCLOCK_JOURNAL))
    if args.relief:
        restorers.append(Restorer(monitors, authority, RELIEF_JOURNAL))
    capacities = 0 if args.mclock else _entries(monitors, MCLOCK_JOURNAL)
    reliefs = 0 if args.relief else _entries(monitors, RELIEF_JOURNAL)
    found = _read_journals(restorers, capacities, reliefs)
    is_plain = args.format == "plain"
    if is_plain:
        _say(plan_text(found, time.time()))
        _say("" if args.dry_run or not found.seen else "Putting back, the last one first:")
    outcomes: list[SettingResult] = []
    for restorer in () if args.dry_run else restorers:
        for outcome in restorer.undo():
            outcomes.append(outcome)
            if is_plain:
                _say(outcome_text(outcome))
    unsaved = next((one.unsaved for one in restorers if one.unsaved is not None), None)
    left = sum(outcome.fate in _OPEN for outcome in outcomes)
    complete = found.is_empty if args.dry_run else not (left or found.unreadable or unsaved)
    if is_plain:
        _say(end_text(found, unsaved, left, args.dry_run, _command(args)))
    else:
        fields = shape(found, outcomes, unsaved)
        print(json.dumps({"dry_run": args.dry_run, "complete": complete, **fields}, indent=2))
    return 0 if complete else 1


def _command(args: argparse.Namespace) -> str:
    """The command that undoes the same again; without its options these journals would stay."""
    options = [f" --{name}" for name in ("mclock", "relief") if getattr(args, name)]
    return f"ceph-perf-bench restore{''.join(options)}"


def _read_journals(restorers: Iterable[Restorer], capacities: int, reliefs: int) -> Found:
    journals = [restorer.look() for restorer in restorers]
    seen = [entry for entries, _ in journals for entry in entries]
    unreadable = [key for _, bad in journals for key in bad]
    return Found(seen, unreadable, capacities, reliefs)


def _entries(monitors: CephMonitors, prefix: str) -> int:
    return len(Journal(monitors, prefix).read().entries)


def _say(text: str) -> None:
    if text:
        print(harmless(text), flush=True)
