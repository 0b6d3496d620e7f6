"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the journal is at the
monitors.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Sequence
from typing import Any, Optional

from ..bench.held import LATE, Access, Held, at_once
from ..bench.held_journal import MCLOCK, RELIEF, ROUND
from ..bench.held_kinds import ClusterSettings
from ..core.loop import complete
from ..errors import NotFound, PerfBenchError
from ..model.printable import harmless
from ..model.quiesce import Restored, SettingChange
from ..model.relief import why_out
from .authority import PersonAuthority
from .client import CephClient
from .monitors import CephMonitors
from .restore_text import Fate, Found, Seen, SettingResult, end_text, outcome_text, plan_text, shape

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


class _HostClock:
    """Implements Clock with the host's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def run(args: argparse.Namespace, client: CephClient) -> int:
    """Print the plan, put back, print the outcome; returns the exit code.

    Raises Busy while a round holds settings, NotNow if that is not known, CommandFailed from the
    monitors.
    """
    monitors, clock = CephMonitors(client), _HostClock()
    authority = PersonAuthority(client, monitors, args.force)
    authority.check()
    # Capacities are of each OSD: the configuration is not read anew for every one of them.
    settings = ClusterSettings(monitors, clock)
    access = Access(monitors, settings, authority, clock, logging.getLogger(__name__))
    users = {
        # Nobody waits here for late commands: how old one is, the clocks of two hosts must tell.
        ROUND: Held(ROUND, access, late=lambda one: one.at + LATE - clock.now(), fresh=_FRESH),
        **{user: Held(user, access, late=at_once, fresh=_FRESH) for user in (MCLOCK, RELIEF)},
    }
    for held in users.values():
        complete(held.read())
    counts = {MCLOCK: 0, RELIEF: 0}
    for user, count in counts.items():
        if not getattr(args, user):
            counts[user] = count + len(users.pop(user).changes)
    found = Found(
        [_seen(held, settings, change) for held in users.values() for change in held.changes],
        [bad for held in users.values() for bad in held.journal.unreadable],
        counts[MCLOCK],
        counts[RELIEF],
    )
    is_plain = args.format == "plain"
    if is_plain:
        _say(plan_text(found, clock.now()))
        _say("" if args.dry_run or not found.seen else "Putting back, the last one first:")
    results: list[SettingResult] = []
    unsaved: Optional[str] = None
    for held in () if args.dry_run else users.values():
        before = held.changes
        done = complete(held.release([change.what for change in before]))
        results += [_result(held, change, done) for change in reversed(before)]
        unsaved = unsaved or done.unsaved
    left = sum(result.fate in (Fate.WAITING, Fate.LATER) for result in results)
    complete_ = found.is_empty if args.dry_run else not (left or found.unreadable or unsaved)
    if is_plain:
        for result in results:
            _say(outcome_text(result))
        _say(end_text(found, unsaved, left, args.dry_run, _command(args)))
    else:
        fields = shape(found, results, unsaved)
        print(json.dumps({"dry_run": args.dry_run, "complete": complete_, **fields}, indent=2))
    return 0 if complete_ else 1


def _seen(held: Held, settings: ClusterSettings, change: SettingChange) -> Seen:
    """A change with its setting's present value, and the commands that undo it."""
    now: Optional[str] = None
    unread: Optional[str] = None
    key = held.journal.places[change.what]
    try:
        now = settings.read(change.what)
    except NotFound:
        return Seen(change, key, gone=True)
    except PerfBenchError as error:
        unread = str(error)
    out = why_out(change, now)
    # A reweight would take in an OSD that is out.
    commands: Sequence[str] = () if out else settings.commands(change.what, change.was)
    return Seen(change, key, now, unread, commands=commands, out=out)


def _result(held: Held, change: SettingChange, done: Restored) -> SettingResult:
    """What became of a change."""
    what = change.what
    for waiting in done.waiting:
        if waiting.change.what == what:
            return SettingResult(change, Fate.WAITING, why=waiting.why)
    for left in done.left:
        if left.what == what:
            return SettingResult(change, Fate.GONE if left.gone else Fate.LEFT, now=left.now)
    if any(one.what == what for one in held.changes):
        return SettingResult(change, Fate.LATER, until=change.at + LATE)
    put_back = any(one.what == what for one in done.put_back)
    return SettingResult(change, Fate.PUT_BACK if put_back else Fate.NOTHING)


def _command(args: argparse.Namespace) -> str:
    """The command that undoes the same again; without its options these journal would stay."""
    options = [f" --{name}" for name in (MCLOCK, RELIEF) if getattr(args, name)]
    return f"ceph-perf-bench restore{''.join(options)}"


def _say(text: str) -> None:
    if text:
        print(harmless(text), flush=True)
