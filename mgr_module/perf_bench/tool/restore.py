"""``ceph-perf-bench restore``: puts settings back where no mgr does it.

It needs Ceph's client and an administrator's key, but no mgr with the module: the journal is at the
monitors.
"""

from __future__ import annotations

import argparse
import json
import logging
import textwrap
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any, Optional

from ..bench.held import MCLOCK, RELIEF, ROUND, Access, Held
from ..bench.held_kinds import ClusterSettings
from ..core.clock import SystemClock
from ..errors import NotFound, PerfBenchError
from ..model.admission import Fate, Outcome, SettingChange, why_out
from ..model.phrases import harmless
from .client import CephClient, PersonAuthority

# Seconds that a reading stays valid: it takes up to six runs of the client, 0.5 s and more each.
_FRESH = 25.0
_WIDTH = 80
_PENDING = "pending"
# What is said of a setting by its fate; those that leave nothing to do, and the others.
_DONE = {
    Fate.PUT_BACK.value: "put back to {was}",
    Fate.LEFT.value: "left: somebody else has made it {now} since",
    Fate.GONE.value: "gone: there is no such setting any more",
    Fate.NOTHING.value: "nothing to do: it is {was}, as before",
}
_LEFT = {
    _PENDING: "is {now}, was {was}",
    Fate.WAITING.value: "not yet",
    Fate.LATER.value: "{was}, as before",
}


@dataclass(frozen=True)
class Row:
    """A setting with its value before, its value ``now``, and what became of it.

    ``fate`` is one of Fate, or "pending" in a dry run. ``commands`` put back what is left.
    """

    what: str
    was: Optional[str]
    now: Optional[str]
    fate: str
    why: str
    commands: list[str]

    def text(self) -> str:
        was, now = (
            f"'{one[:40]}'" if one is not None else "not set" for one in (self.was, self.now)
        )
        told = (_DONE.get(self.fate) or _LEFT[self.fate]).format(was=was, now=now)
        line = f"{self.what}: {told}{f': {self.why}' if self.why else ''}"
        return "\n    ".join((_wrapped(line), *self.commands))


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
    shown = "what is printed (default: %(default)s)"
    parser.add_argument("--format", choices=("plain", "json"), default="plain", help=shown)
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
    access = Access(client, settings, authority, clock, log, fresh=_FRESH)
    chosen = [user for user in (MCLOCK, RELIEF) if getattr(args, user)]
    rows: list[Row] = []
    problems: list[str] = []
    for user in (ROUND, *chosen):
        held = Held(user, access)
        held.read()
        problems += [held.problem] if held.problem else []
        if args.dry_run:
            rows += [_planned(settings, change) for change in held.changes]
            continue
        done = held.release()
        problems += [f"the journal could not be updated: {done.unsaved}"] if done.unsaved else []
        still = {change.what for change in held.changes}
        rows += [_row(settings, one, one.change.what in still) for one in done.outcomes]
    is_complete = not problems and all(row.fate in _DONE for row in rows)
    if args.format == "json":
        head = {"dry_run": args.dry_run, "complete": is_complete, "problems": problems}
        print(json.dumps({**head, "settings": list(map(asdict, rows))}, indent=2))
        return 0 if is_complete else 1
    lines = [row.text() for row in rows] + [_wrapped(problem) for problem in problems]
    if is_complete:
        rest = [f"--{user}" for user in (MCLOCK, RELIEF) if user not in chosen]
        without = f" without {' and '.join(rest)}" if rest else ""
        lines.append(f"Nothing is left to do{without}.")
    elif args.dry_run:
        lines.append("Dry run: nothing was changed.")
    else:
        options = "".join(f" --{user}" for user in chosen)
        lines.append(
            _wrapped(f"Not all is put back: run 'ceph-perf-bench restore{options}' again.")
        )
    print(harmless("\n".join(lines)))
    return 0 if is_complete else 1


def _planned(settings: ClusterSettings, change: SettingChange) -> Row:
    """A change with its setting's present value."""
    now, why = None, ""
    try:
        now = settings.read(change.what)
    except NotFound:
        why = "it is gone"
    except PerfBenchError as error:
        why = f"not read: {error}"
    return _made(settings, change, _PENDING, now, why_out(change, now) or why)


def _row(settings: ClusterSettings, done: Outcome, is_there: bool) -> Row:
    """What became of a change, which may still be in the journal."""
    if not is_there or done.fate is Fate.WAITING:
        return _made(settings, done.change, done.fate.value, done.now, done.why)
    at = datetime.fromtimestamp(done.change.late_until, tz=timezone.utc)
    why = (
        "a mgr that ended may have sent a command that changes it late: run this again after "
        f"{at:%Y-%m-%dT%H:%M:%SZ}"
    )
    return _made(settings, done.change, Fate.LATER.value, done.now, why)


def _made(
    settings: ClusterSettings, change: SettingChange, fate: str, now: Optional[str], why: str
) -> Row:
    # A reweight would take in an OSD that is out.
    leave = fate in _DONE or why_out(change, now) is not None
    commands = [] if leave else settings.commands(change.what, change.was)
    return Row(change.what, change.was, now, fate, why, commands)


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
