"""The dashboard's way in: questions by name, answers and errors as plain data.

The dashboard runs in an interpreter of its own up to Ceph 18. What passes between the two is
pickled, and an exception arrives there as a bare text; so errors are answers here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..errors import InvalidValue, NotFound, NotNow, PerfBenchError, StoreUnavailable
from ..model.request import Request
from ..model.schedule import ScheduleRequest
from . import Api
from .paging import Page

# "answer" with "total" where it is a page of a longer list; or "error".
Reply = dict[str, Any]
Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """``arguments`` are those it may be asked with, each with what checks its value."""

    call: Callable[..., Any]
    arguments: Mapping[str, Callable[[str, Any], Any]]
    paged: bool = False


def answer(api: Api, question: str, arguments: Arguments) -> Reply:
    """Answer one question; every error of the family becomes an ``error`` with its errno."""
    try:
        known = QUESTIONS.get(question)
        if known is None:
            raise NotFound(f"perf_bench has no answer to '{question}'")
        found = known.call(api, **_checked(known, arguments))
    except PerfBenchError as error:
        return failure(error)
    if known.paged:
        return {"answer": found[0], "total": found[1]}
    return {"answer": found}


def failure(error: PerfBenchError) -> Reply:
    """An error as data: ``field`` names the argument at fault, ``reasons`` every cause.

    ``away`` is true when nothing was asked that is wrong: the database does not answer.
    """
    return {
        "error": {
            "errno": error.errno,
            "message": str(error),
            "field": error.field if isinstance(error, InvalidValue) else "",
            "reasons": list(error.reasons) if isinstance(error, NotNow) else [],
            "away": isinstance(error, StoreUnavailable),
        }
    }


def crash() -> Reply:
    """The answer when something broke that nobody foresaw; the mgr's log has the traceback."""
    message = "internal error: the log of the active mgr says more"
    return failure(PerfBenchError(message))


def _checked(question: Question, arguments: Arguments) -> dict[str, Any]:
    checked = {}
    for name, value in arguments.items():
        check = question.arguments.get(name)
        if check is None:
            there = ", ".join(question.arguments) or "none"
            raise InvalidValue(f"there is no argument '{name}', there are: {there}", field=name)
        if value not in (None, ""):  # a form left empty
            checked[name] = check(name, value)
    return checked


# --- what a value may be ------------------------------------------------------------------------


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"{name} must be a text", field=name)
    return value


def _number(name: str, value: Any) -> int:
    """A whole number, as JSON has it or as text out of an address."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 15:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidValue(f"{name} must be a whole number", field=name)


def _size(name: str, value: Any) -> str:
    """A size as ``round start --size`` takes it, or a number of bytes."""
    return value if isinstance(value, str) else str(_number(name, value))


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise InvalidValue(f"{name} must be true or false", field=name)


def _round_id(name: str, value: Any) -> int:
    try:
        return _number(name, value)
    except InvalidValue:
        raise NotFound(f"no round '{value}': a round's ID is a number") from None


def _finding_id(name: str, value: Any) -> int:
    try:
        return _number(name, value)
    except InvalidValue:
        raise NotFound(f"no finding '{value}': a finding's ID is a number") from None


def _osd_id(name: str, value: Any) -> int:
    try:
        return _number(name, value)
    except InvalidValue:
        raise NotFound(f"no OSD '{value}': an OSD's ID is a number") from None


# --- the questions ------------------------------------------------------------------------------


def _round_start(api: Api, dry_run: bool = False, **arguments: Any) -> Any:
    if "profile" not in arguments:
        raise InvalidValue("a profile is needed, see the list of profiles", field="profile")
    request = Request(**arguments)
    return api.rounds.plan(request) if dry_run else api.rounds.start(request)


def _needs(arguments: Arguments, *names: str) -> None:
    for name in names:
        if name not in arguments:
            raise InvalidValue(f"'{name}' is needed", field=name)


def _round_import(api: Api, **arguments: Any) -> Any:
    _needs(arguments, "as", "results")
    return api.rounds.take(arguments["results"], arguments["as"], arguments.get("label"))


def _schedule_add(api: Api, **arguments: Any) -> Any:
    _needs(arguments, "name", "profile")
    return api.schedules.add(ScheduleRequest(**arguments))


def _schedule_do(call: Callable[[Api], Callable[..., Any]]) -> Callable[..., Any]:
    return lambda api, name=None: call(api)(name)


def _osd_ls(api: Api, **arguments: Any) -> Any:
    terms = [f"{kind}={arguments.pop(kind)}" for kind in ("class", "host") if kind in arguments]
    terms += [arguments.pop("osds")] if "osds" in arguments else []
    return api.osds.ls(expression="&".join(terms) or None, **arguments)


def _round_compare(api: Api, a: Optional[int] = None, b: Optional[int] = None, **page: Any) -> Any:
    if a is None or b is None:
        raise InvalidValue("the IDs of two rounds are needed, a and b", field="b" if a else "a")
    return api.comparing.rounds(a, b, **page)


def _profile_history(api: Api, profile: Optional[str] = None) -> Any:
    if profile is None:
        raise InvalidValue("a profile is needed, see the list of profiles", field="profile")
    return api.comparing.history(profile)


def _finding_mute(api: Api, **arguments: Any) -> Any:
    _needs(arguments, "id", "for")
    return api.watch.mute(arguments["id"], arguments["for"])


def _by_id(call: Callable[[Api], Callable[..., Any]], noun: str) -> Callable[..., Any]:
    """IDs are positional there, so that the addresses' word for them stays ours."""

    def asked(api: Api, id: Optional[int] = None, **arguments: Any) -> Any:  # noqa: A002
        if id is None:
            raise InvalidValue(f"the ID of a {noun} is needed", field="id")
        return call(api)(id, **arguments)

    return asked


def _of(call: Callable[[Api], Callable[..., Any]]) -> Callable[..., Any]:
    return lambda api, **arguments: call(api)(**arguments)


def _laggy(api: Api, **words: Any) -> tuple[Any, int]:
    """What is laggy, and how many OSDs have a part in it: a page of them where one is asked for."""
    found = api.watch.laggy()
    if not words:
        return found, len(found["osds"])
    keys = ("osd", "host", "laggy_pg_seconds", "share")
    osds, total = Page.asked(words).of_keyed(found["osds"], *keys)
    return {**found, "osds": osds}, total


_PAGE = {"limit": _number, "offset": _number}
_LIST = {**_PAGE, "search": _text, "sort": _text}


def _list(call: Callable[[Api], Callable[[Page], Any]]) -> Question:
    """A list that is asked for page by page, and in no other way."""
    return Question(lambda api, **words: call(api)(Page.asked(words)), _LIST, paged=True)


def _whole(call: Callable[..., Sequence[Any]], *keys: str, **also: Any) -> Question:
    """A list that the CLI prints whole, page by page; its rows have these keys."""

    def asked(api: Api, **words: Any) -> tuple[list[Any], int]:
        own = {name: words[name] for name in also if name in words}
        return Page.asked(words).of_keyed(call(api, **own), *keys)

    return Question(asked, {**_LIST, **also}, paged=True)


QUESTIONS: Mapping[str, Question] = {
    "status": Question(Api.status, {}),
    "profile_ls": _whole(Api.profile_ls, "name", "kind", "description", "repeats"),
    "round_ls": Question(
        _of(lambda api: api.rounds.ls), {**_LIST, "kind": _text, "state": _text}, paged=True
    ),
    "round_show": Question(
        _by_id(lambda api: api.rounds.show, "round"),
        {"id": _round_id, **_PAGE, "samples": _flag, "osd": _number},
    ),
    "round_live": Question(_by_id(lambda api: api.rounds.live, "round"), {"id": _round_id}),
    "round_compare": Question(_round_compare, {"a": _round_id, "b": _round_id, **_PAGE}),
    "profile_history": Question(_profile_history, {"profile": _text}),
    "schedule_ls": _whole(
        lambda api: api.schedules.ls(),
        *("name", "profile", "every", "every_seconds", "cron", "window", "timezone", "osds"),
        *("missed", "paused", "next", "last_round", "last_result", "problem"),
    ),
    "schedule_add": Question(
        _schedule_add,
        dict.fromkeys(
            (
                *("name", "profile", "every", "cron", "window"),
                *("timezone", "osds", "missed"),
            ),
            _text,
        ),
    ),
    "schedule_rm": Question(_schedule_do(lambda api: api.schedules.rm), {"name": _text}),
    "schedule_pause": Question(_schedule_do(lambda api: api.schedules.pause), {"name": _text}),
    "schedule_resume": Question(_schedule_do(lambda api: api.schedules.resume), {"name": _text}),
    "baseline_set": Question(
        _by_id(lambda api: api.comparing.set_baseline, "round"),
        {"id": _round_id, "profile": _text},
    ),
    "baseline_ls": _whole(
        lambda api: api.comparing.baselines(),
        *("profile", "round", "set_at", "started_at", "label", "bytes_per_second", "iops"),
    ),
    "reference_ls": _whole(
        lambda api: api.comparing.references(),
        *("id", "scope", "hardware", "ceph", "osds", "redundancy", "workload", "metric", "value"),
        *("unit", "source", "note"),
    ),
    "round_start": Question(
        _round_start,
        {
            "profile": _text,
            "osds": _text,
            "repeats": _number,
            "max_repeats": _number,
            "size": _size,
            "rest": _text,
            "rests": _number,
            "solo": _text,
            "pool": _text,
            "clients": _number,
            "threads": _number,
            "seconds": _number,
            "foreign_pool": _flag,
            "label": _text,
            "workers": _text,
            "force": _flag,
            "dry_run": _flag,
        },
    ),
    "round_import": Question(_round_import, dict.fromkeys(("as", "results", "label"), _text)),
    "round_abort": Question(_by_id(lambda api: api.rounds.abort, "round"), {"id": _round_id}),
    "round_rm": Question(_by_id(lambda api: api.rounds.rm, "round"), {"id": _round_id}),
    "osd_ls": Question(
        _osd_ls,
        {**_LIST, "class": _text, "host": _text, "osds": _text, "profile": _text},
        paged=True,
    ),
    "osd_show": Question(_by_id(lambda api: api.osds.show, "OSD"), {"id": _osd_id}),
    "osd_series": Question(
        _by_id(lambda api: api.watch.series, "OSD"),
        {"id": _osd_id, "since": _text, "channel": _text},
    ),
    "cohort_ls": _whole(
        lambda api: api.watch.cohorts(),
        *("name", "members", "judged", "channel", "minimum_detectable_ratio"),
    ),
    "finding_ls": Question(
        _of(lambda api: api.watch.findings), {**_LIST, "everything": _flag}, paged=True
    ),
    "finding_show": Question(_by_id(lambda api: api.watch.finding, "finding"), {"id": _finding_id}),
    "finding_mute": Question(_finding_mute, {"id": _finding_id, "for": _text}),
    "doctor": _whole(
        lambda api, **about: api.doctor.advice(**about),
        *("code", "severity", "message", "fix", "source"),
        osd=_osd_id,
    ),
    "enclosure_ls": _list(lambda api: api.enclosures.ls),
    "enclosure_show": Question(_by_id(lambda api: api.enclosures.show, "enclosure"), {"id": _text}),
    "multipath_ls": _list(lambda api: api.enclosures.multipaths),
    "crc_ls": Question(_of(lambda api: api.crc.ls), _LIST, paged=True),
    "mclock_apply": Question(_of(lambda api: api.mclock.apply), {}),
    "mclock_restore": Question(_of(lambda api: api.mclock.restore), {}),
    "mclock_ls": _list(lambda api: api.mclock.ls),
    "worker_ls": _list(lambda api: api.workers.ls),
    "host_ls": _list(lambda api: api.hosts.ls),
    "laggy_ls": Question(_laggy, _LIST, paged=True),
    "osd_latency": Question(_of(lambda api: api.osds.latency), {}),
    "osd_map": Question(_of(lambda api: api.osds.map), {"profile": _text}),
}
