"""Schedules as JSON and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Optional, Union

from ..model.admission import Admission, Refusal, Unknown
from ..model.json_fields import Json
from ..model.said import say, with_said
from ..model.schedule import Pending, Schedule, ScheduleState
from .text import NOTHING, WIDTH, clip, iso, minute, table

# The admission of a dry run.


def admission(decision: Admission) -> Json:
    """The decision on a round. ``forceable``: ``--force`` overrides the refusal."""
    return {
        "allowed": decision.allowed,
        "reasons": list(map(str, decision.reasons)),
        "refusals": [_with_said(refusal) for refusal in decision.refusals],
        "forceable": not decision.allowed and decision.forceable,
        "unknown": [_with_said(unknown) for unknown in decision.unknowns],
        "tolerated": [asdict(check) for check in decision.tolerated],
    }


def _with_said(one: Union[Refusal, Unknown]) -> Json:
    return {**asdict(one), **with_said(message=one.message)}


def admission_facts(shape: Json) -> list[tuple[str, str]]:
    """Pairs for ``text.facts``: whether the round may start, reasons against it, unknowns."""
    may = "yes" if shape["allowed"] else "only with --force" if shape["forceable"] else "no"
    return [
        ("may start", may),
        *[("because", _reason(refusal)) for refusal in shape["refusals"]],
        *[("unchecked", unknown["message"]) for unknown in shape["unknown"]],
        *[("tolerated", f"{one['code']}: {one['summary']}") for one in shape["tolerated"]],
    ]


def _reason(refusal: Json) -> str:
    never = "" if refusal["forceable"] else " (--force does not override it)"
    return f"{refusal['message']}{never}"


# Units of intervals as they are typed, largest first.
_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
_INDENT = " " * 4


def schedule(
    schedule_: Schedule, state: ScheduleState, runs: Sequence[float], verdict: Optional[str]
) -> Json:
    """A schedule; times are ISO 8601 in UTC.

    ``runs`` are the next ones in unix seconds, none while it is paused or its times cannot be
    told. ``verdict`` is the word for its last round (its state while it runs).
    """
    return {
        "name": schedule_.name,
        "profile": schedule_.profile,
        "every": None if schedule_.every is None else interval(schedule_.every),
        "every_seconds": schedule_.every,
        "cron": schedule_.cron,
        "window": None if schedule_.window is None else str(schedule_.window),
        "timezone": schedule_.timezone,
        "osds": schedule_.osds,
        "missed": schedule_.missed.value,
        "paused": schedule_.paused,
        "next": iso(runs[0]) if runs else None,
        "next_runs": [iso(run) for run in runs],
        "waiting": None if state.pending is None else _waiting(state.pending),
        "last_round": state.last_round,
        **with_said(last_result=_result(verdict, state.given_up), problem=state.problem),
        "not_started_since": iso(state.given_up_since),
    }


def _result(verdict: Optional[str], given_up: Optional[str]) -> Optional[str]:
    if given_up is None:
        return verdict
    return say("not-started", "not started: {why}", why=given_up)


def _waiting(pending: Pending) -> Json:
    return {
        "due": iso(pending.due),
        "retry_at": iso(pending.retry_at),
        "until": iso(pending.until),
        "tries": pending.tries,
        **with_said(reasons=pending.reasons),
    }


def interval(seconds: int) -> str:
    """Seconds in the form of ``--every``: "90m", "6h", "7d"."""
    unit, size = next((unit, size) for unit, size in _UNITS if seconds % size == 0)
    return f"{seconds // size}{unit}"


def schedules(shapes: Sequence[Json]) -> str:
    """Text of ``schedule ls``: a row for each, and below it what fits no column."""
    if not shapes:
        return (
            "no schedules yet: 'ceph perf-bench schedule add nightly osd-throughput --every 1d "
            "--window 01:00-05:00' makes one"
        )
    rows = [
        [
            clip(s["name"], 16),
            clip(s["profile"], 14),
            clip(_when(s), 20),
            "paused" if s["paused"] else minute(s["next"]),
            str(s["last_round"] or "-"),
        ]
        for s in shapes
    ]
    head, *lines = table(["ID", "PROFILE", "WHAT", "NEXT (UTC)", "ROUND"], rows).splitlines()
    text = [head]
    for line, shape in zip(lines, shapes):
        text += [line, *_below(shape)]
    return "\n".join(text)


def _when(shape: Json) -> str:
    if shape["every"]:
        return f"every {shape['every']}"
    return f"cron {shape['cron']}" if shape["cron"] else NOTHING


def _below(shape: Json) -> list[str]:
    sentences = [_where(shape), *_how(shape)]
    return [
        line
        for sentence in sentences
        if sentence
        for line in textwrap.wrap(
            sentence,
            WIDTH,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def _where(shape: Json) -> str:
    """Window, time zone and OSDs, where they are set."""
    zoned = shape["window"] or shape["cron"]
    parts = [
        f"within {shape['window']}" if shape["window"] else "",
        shape["timezone"] if zoned and shape["timezone"] != "UTC" else "",
        f"OSDs {shape['osds']}" if shape["osds"] else "",
        "missed runs are left out" if shape["missed"] == "skip" else "",
    ]
    return ", ".join(part for part in parts if part)


def _how(shape: Json) -> list[str]:
    """What the run waits for, and the result of the last run."""
    said = []
    if shape["problem"]:
        said.append(f"cannot run: {shape['problem']}")
    waiting = shape["waiting"]
    if waiting and waiting["reasons"]:
        why = "; ".join(waiting["reasons"])
        tries = f"refused {waiting['tries']} x" if waiting["tries"] else "due"
        said.append(f"{tries}, tried until {minute(waiting['until'])} UTC: {why}")
    elif waiting:
        said.append(f"due, starts by {minute(waiting['until'])} UTC")
    if shape["last_result"]:
        said.append(f"last: {shape['last_result']}")
    return said


def next_runs(shape: Json) -> str:
    """Text of ``schedule add``, ``pause`` and ``resume``: when it runs next."""
    if shape["paused"]:
        return f"{shape['name']} is paused"
    if not shape["next_runs"]:
        return f"{shape['name']} cannot run: {shape['problem']}"
    runs = ", ".join(minute(run) for run in shape["next_runs"])
    return "\n".join(textwrap.wrap(f"{shape['name']} runs next (UTC): {runs}", WIDTH))
