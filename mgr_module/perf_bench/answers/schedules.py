"""Schedules: ``ceph perf-bench schedule …``."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional, Union

from ..bench.schedules import ScheduleView
from ..errors import NotFound, Unreadable
from ..model.json_fields import iso
from ..model.plan import Missed, Pending, ScheduleRequest
from ..store.sqlite import Store
from .api import Api
from .question import NO_RAISING, OF_RESUMED, OF_SCHEDULE, Question, needed, optional
from .shape import Stamp, copied
from .text import NOTHING, WIDTH, Column, minute, table

# Units of intervals as they are typed, largest first.
_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


@dataclass(frozen=True)
class Schedule:
    """A round that starts by itself.

    every -- Its interval as it is typed, as 7d.
    next_runs -- The next ones; none while it is paused or its times cannot be told.
    last_result -- The word for its last round, or why none started.
    problem -- Why its times cannot be told.
    """

    name: str
    profile: str
    every: Optional[str]
    cron: Optional[str]
    window: Optional[str]
    timezone: str
    osds: Optional[str]
    missed: Missed
    paused: bool
    next: Optional[Stamp]
    next_runs: Sequence[str]
    waiting: Optional[Pending]
    last_round: Optional[int]
    last_result: Optional[str]
    not_started_since: Optional[Stamp]
    problem: Optional[str]


@dataclass(frozen=True)
class RemovedSchedule:
    """One that could not be read and is removed."""

    name: str


def schedule(view: ScheduleView, words: Mapping[Optional[int], str]) -> Schedule:
    """A schedule; ``words`` has the one for its last round."""
    of, state = view.schedule, view.state
    given_up = None if state.given_up is None else f"not started: {state.given_up}"
    runs = [str(iso(run)) for run in view.runs]
    return copied(
        Schedule,
        of,
        every=None if of.every is None else interval(of.every),
        window=None if of.window is None else str(of.window),
        next=runs[0] if runs else None,
        next_runs=runs,
        waiting=state.pending,
        last_round=state.last_round,
        last_result=given_up or words.get(state.last_round),
        not_started_since=iso(state.given_up_since),
        problem=state.problem,
    )


def interval(seconds: int) -> str:
    """Seconds in the form of ``--every``: "90m", "6h", "7d"."""
    unit, size = next((unit, size) for unit, size in _UNITS if seconds % size == 0)
    return f"{seconds // size}{unit}"


def add(api: Api, **asked: Any) -> Schedule:
    """Start rounds of a profile by themselves, as --every 1d or --cron '0 3 * * 6'.

    Raises InvalidValue.
    """
    return schedule(api.round_scheduler.add(ScheduleRequest(**asked)), {})


def ls(api: Api) -> list[Schedule]:
    """List schedules with their next runs."""
    words = _words(api)
    return [schedule(view, words) for view in api.round_scheduler.entries()]


def rm(api: Api, name: str) -> Union[Schedule, RemovedSchedule]:
    """Remove a schedule."""
    there = [replace(one, next=None, next_runs=()) for one in ls(api) if one.name == name]
    api.round_scheduler.remove(name)
    return there[0] if there else RemovedSchedule(name)


def pause(api: Api, name: str) -> Schedule:
    """Start nothing by a schedule.

    Raises NotFound.
    """
    words = _words(api)
    return schedule(api.round_scheduler.pause(name), words)


def resume(api: Api, name: str) -> Schedule:
    """Let a schedule go on.

    Raises NotFound.
    """
    words = _words(api)
    return schedule(api.round_scheduler.resume(name), words)


def _words(api: Api) -> Mapping[Optional[int], str]:
    """By last round of any schedule the word for it.

    Read before a change: an error after it would say that nothing was changed.
    """
    rounds = {view.state.last_round for view in api.round_scheduler.entries()} - {None}
    if not rounds:
        return {}
    return api.store.call(lambda store: {one: _word(store, one) for one in rounds})


def _word(store: Store, round_id: Optional[int]) -> str:
    """The verdict of a round, or its state while it runs."""
    try:
        round_ = store.round(round_id or 0)
    except NotFound:
        return "removed"
    except Unreadable:
        return "unreadable"
    return str((round_.verdict or round_.state).value)


# --- as text -------------------------------------------------------------------------------------


def schedules_text(answers: Sequence[Schedule]) -> str:
    """Text of ``schedule ls``: a row for each, and below it what fits no column."""
    if not answers:
        return (
            "no schedules yet: 'ceph perf-bench schedule add nightly osd-throughput --every 1d "
            "--window 01:00-05:00' makes one"
        )
    return table(_COLUMNS, answers, lambda one: (_where(one), *_how(one)))


def next_runs_text(answer: Schedule) -> str:
    """Text of ``schedule add``, ``pause`` and ``resume``: when it runs next."""
    if answer.paused:
        return f"{answer.name} is paused"
    if not answer.next_runs:
        return f"{answer.name} cannot run: {answer.problem}"
    runs = ", ".join(minute(run) for run in answer.next_runs)
    return "\n".join(textwrap.wrap(f"{answer.name} runs next (UTC): {runs}", WIDTH))


def _when(one: Schedule) -> str:
    if one.every:
        return f"every {one.every}"
    return f"cron {one.cron}" if one.cron else NOTHING


_COLUMNS = (
    Column("ID", "name", "word", 16),
    Column("PROFILE", "profile", "word", 14),
    Column("WHAT", _when, "word", 20),
    Column("NEXT (UTC)", lambda one: "paused" if one.paused else minute(one.next), "count"),
    Column("ROUND", "last_round", "word"),
)


def _where(one: Schedule) -> str:
    """Window, time zone and OSDs, where they are set."""
    zoned = one.window or one.cron
    parts = [
        f"within {one.window}" if one.window else "",
        one.timezone if zoned and one.timezone != "UTC" else "",
        f"OSDs {one.osds}" if one.osds else "",
        "missed runs are left out" if one.missed is Missed.SKIP else "",
    ]
    return ", ".join(part for part in parts if part)


def _how(one: Schedule) -> list[str]:
    """What the run waits for, and the result of the last run."""
    said = []
    if one.problem:
        said.append(f"cannot run: {one.problem}")
    waiting = one.waiting
    if waiting:
        until = f"due, tried until {minute(waiting.until)} UTC"
        said.append(": ".join([until, *filter(None, ["; ".join(waiting.reasons)])]))
    if one.last_result:
        said.append(f"last: {one.last_result}")
    return said


QUESTIONS = (
    Question(
        "schedule add",
        add,
        (
            *needed("name", "profile"),
            *optional("every", "cron", "window", "timezone", "osds", "missed"),
        ),
        next_runs_text,
        rest="POST schedule",
        writes=True,
        needs=OF_SCHEDULE,
        without=NO_RAISING,
    ),
    Question("schedule ls", ls, text=schedules_text, rest="GET schedule"),
    Question(
        "schedule rm",
        rm,
        text=lambda answer: f"{answer.name} is removed",
        rest="DELETE schedule/NAME",
        writes=True,
    ),
    Question(
        "schedule pause",
        pause,
        text=next_runs_text,
        rest="POST schedule/NAME/pause",
        writes=True,
    ),
    Question(
        "schedule resume",
        resume,
        text=next_runs_text,
        rest="POST schedule/NAME/resume",
        writes=True,
        needs=OF_RESUMED,
    ),
)
