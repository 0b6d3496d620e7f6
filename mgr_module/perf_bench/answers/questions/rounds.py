"""Questions of the bench journey: profiles, rounds, what they are compared with, workers."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from ...api import Api
from ...errors import InvalidValue
from ...model.comparison import Change
from ...model.plan import Request
from ...report import comparison, plans, profiles, reference, rounds, workers
from ..paging import Page, page_of
from .question import (
    LIST,
    PAGE,
    ROUND,
    WHOLE_LIST,
    Args,
    Argument,
    ArgumentKind,
    Question,
    Use,
    keyed,
    needed,
    optional,
    rest_only,
)
from .rights import NO_RAISING, OF_ROUND

_PROFILE_NEEDED = "a profile is needed, see the list of profiles"
_FILE = (*ROUND, *optional("as"), *optional("raw", kind=ArgumentKind.FLAG))
_TOLD = (*needed("id"), *needed("message", kind=ArgumentKind.FILE))
# The OSDs of a comparison, as many as ``round show`` shows.
_COMPARED = 200
_PAIR_NEEDED = "the IDs of two rounds are needed, a and b"


def _start(api: Api, args: Args) -> Any:
    request = Request(**{name: value for name, value in args.items() if name != "dry_run"})
    return api.rounds.plan(request) if args.get("dry_run") else api.rounds.start(request)


def _listed(api: Api, args: Args) -> Any:
    if "comparable" not in args:
        return api.rounds.ls(**args)
    page = Page.asked(args)
    return api.rounds.comparable(args["comparable"], page, args.get("kind"), args.get("state"))


def _plan_or_started(shape: Any) -> str:
    if "id" not in shape:
        return plans.plan_text(shape)
    return f"round {shape['id']} started: 'ceph perf-bench round show {shape['id']}' follows it"


def _compare(api: Api, args: Args) -> Any:
    _verdicts(args)
    first, count = page_of(args.get("limit", _COMPARED), args.get("offset"))
    found = api.comparing.rounds(args["a"], args["b"])
    shape = comparison.comparison(found.comparison, count, first, found.clients)
    return {**shape, "setups": list(found.setups)}


def _verdicts(args: Args) -> Collection[str]:
    """The verdicts that --fail-on names, as "worse,not-comparable". Raises InvalidValue."""
    given = args.get("fail_on", "")
    named = [name.strip() for name in given.split(",") if name.strip()]
    known = [change.value for change in Change]
    if any(name not in known for name in named) or ("fail_on" in args and not named):
        raise InvalidValue(
            f"--fail-on {given}: one or more of {', '.join(known)} are needed, with commas",
            field="fail_on",
        )
    return named


def _named(shape: Any, args: Args) -> str:
    verdict = shape["verdict"]
    if verdict not in _verdicts(args):
        return ""
    change = shape["change_percent"]
    figure = shape["why"][0] if change is None else f"{change:+.1f} %"
    return f"round {shape['b']} against round {shape['a']} is {verdict}: {figure}"


def _imported(shape: Any) -> str:
    return f"round {shape['id']} has it: 'ceph perf-bench round show {shape['id']}' shows it"


QUESTIONS = (
    Question(
        "profile ls",
        "List the profiles of rounds",
        lambda api, _args: api.profile_ls(),
        WHOLE_LIST,
        profiles.profiles_text,
        rest="GET profile",
        answer="[Profile]",
        page=keyed("name", "kind", "description", "repeats"),
    ),
    Question(
        "profile show",
        "Show one profile",
        lambda api, args: api.profile_show(args["name"]),
        needed("name"),
        profiles.profile_text,
    ),
    Question(
        "profile history",
        "Show a profile's rounds in a row, and where their level changed",
        lambda api, args: comparison.history(*api.comparing.history(args["name"])),
        (
            Argument(
                "name",
                cli=Use.NEEDED,
                rest=Use.NEEDED,
                rest_name="profile",
                missing=_PROFILE_NEEDED,
            ),
        ),
        comparison.history_text,
        rest="GET profile/history",
        answer="History",
    ),
    Question(
        "round start",
        "Start a round of a profile, or show with --dry-run what it would do",
        _start,
        (
            *needed("profile", missing=_PROFILE_NEEDED),
            *optional("osds", "pool"),
            *optional("clients", "threads", "seconds", kind=ArgumentKind.NUMBER),
            *optional("workers"),
            *optional("size", kind=ArgumentKind.SIZE),
            *optional("repeats", "max_repeats", kind=ArgumentKind.NUMBER),
            *optional("rest"),
            *optional("rests", kind=ArgumentKind.NUMBER),
            *optional("solo", "label"),
            *optional("dry_run", "force", "foreign_pool", kind=ArgumentKind.FLAG),
        ),
        _plan_or_started,
        rest="POST round",
        answer="Started",
        also={"POST round dry_run": "Plan"},
        writes=True,
        needs=OF_ROUND,
        without=NO_RAISING,
    ),
    Question(
        "round ls",
        "List rounds, newest first",
        _listed,
        (
            *optional("kind", "state"),
            *optional("comparable", kind=ArgumentKind.ROUND_ID),
            *LIST,
        ),
        rounds.rounds_text,
        rest="GET round",
        answer="[RoundLine]",
        paged=True,
        note=lambda api: api.store.removed_note(),
    ),
    Question(
        "round show",
        "Show a round with its OSDs, slowest against their peers first",
        lambda api, args: api.rounds.show(
            args["id"], Page.asked(args), args.get("samples", True), args.get("osd")
        ),
        (
            *ROUND,
            *LIST,
            *rest_only(optional("samples", kind=ArgumentKind.FLAG)),
            *rest_only(optional("osd", kind=ArgumentKind.NUMBER)),
        ),
        rounds.round_text,
        rest="GET round/ID",
        answer="Round",
        rest_of=rounds.rest_of_round,
        # The text shows no samples, and they are most of the work.
        in_text={"samples": False},
    ),
    Question(
        "round distribution",
        "Show how the figures of all OSDs and waves of a round are distributed",
        lambda api, args: api.rounds.distribution(args["id"]),
        ROUND,
        rest="GET round/ID/distribution",
        answer="Distribution",
    ),
    Question(
        "round live",
        "Show what a running round has measured so far, and what clients feel of it",
        lambda api, args: api.rounds.live(args["id"]),
        ROUND,
        rest="GET round/ID/live",
        answer="Live",
    ),
    Question(
        "round compare",
        "Show whether round B is better or worse than round A; --fail-on worse for an exit code",
        _compare,
        (
            *needed("a", "b", kind=ArgumentKind.ROUND_ID, missing=_PAIR_NEEDED),
            *PAGE,
            Argument("fail_on", rest=Use.ABSENT),
        ),
        comparison.comparison_text,
        fails=_named,
        rest_of=comparison.rest_of_comparison,
        rest="GET round/compare",
        answer="Comparison",
    ),
    Question(
        "round abort",
        "End the running round",
        lambda api, args: api.rounds.abort(args.get("id")),
        (Argument("id", ArgumentKind.ROUND_ID, rest=Use.NEEDED),),
        lambda shape: f"round {shape['id']} is being aborted",
        rest="POST round/ID/abort",
        answer="Started",
        writes=True,
    ),
    Question(
        "round rm",
        "Delete an ended round and its samples",
        lambda api, args: api.rounds.rm(args["id"]),
        ROUND,
        lambda shape: f"round {shape['id']} is removed",
        rest="DELETE round/ID",
        writes=True,
    ),
    Question(
        "round export",
        "Print a whole round as json, csv, openmetrics or html, or its rows as stored with --raw",
        lambda api, args: api.rounds.files.text(args["id"], args.get("as"), args.get("raw", False)),
        _FILE,
        raw=True,
    ),
    Question(
        "round file",
        "Answer with a part of the file that 'round export' prints",
        lambda api, args: api.rounds.files.part(
            args["id"], args.get("as"), args.get("raw", False), args.get("part", 0)
        ),
        (*_FILE, *optional("part", kind=ArgumentKind.NUMBER)),
        rest="GET round/ID/file",
        answer="RoundFile",
    ),
    Question(
        "round import",
        "Take over what fio, elbencho or warp measured, of its JSON with -i, as a round of its own",
        lambda api, args: api.rounds.take(args["results"], args["as"], args.get("label")),
        (*needed("as"), *needed("results", kind=ArgumentKind.FILE), *optional("label")),
        _imported,
        rest="POST round/import",
        answer="Started",
        writes=True,
    ),
    Question(
        "baseline set",
        "Hold the later rounds of its profile against this one",
        lambda api, args: comparison.baseline(
            api.comparing.set_baseline(args["id"], args.get("profile"))
        ),
        (*ROUND, *optional("profile")),
        lambda shape: f"round {shape['round']} is the baseline of {shape['profile']} now",
        rest="POST baseline",
        answer="Baseline",
        writes=True,
    ),
    Question(
        "baseline ls",
        "List the baselines of profiles",
        lambda api, _args: [comparison.baseline(one) for one in api.comparing.baselines()],
        WHOLE_LIST,
        comparison.baselines_text,
        rest="GET baseline",
        answer="[Baseline]",
        page=keyed(
            *("profile", "round", "set_at", "started_at", "label", "bytes_per_second", "iops"),
        ),
    ),
    Question(
        "reference ls",
        "List published figures with their hardware and source",
        lambda api, _args: [reference.figure(one) for one in api.comparing.published()],
        WHOLE_LIST,
        reference.figures,
        rest="GET reference",
        answer="[Figure]",
        page=keyed(
            *("id", "scope", "hardware", "ceph", "osds", "redundancy", "workload", "metric"),
            *("value", "unit", "source", "note"),
        ),
    ),
    Question(
        "worker ls",
        "List the hosts that wait to run clients of rounds",
        lambda api, args: Page.asked(args).of(
            [workers.worker(one) for one in api.loader.workers()],
            workers.FIELDS,
            workers.SEARCHED,
        ),
        LIST,
        workers.workers,
        rest="GET worker",
        answer="[Worker]",
        paged=True,
    ),
    Question(
        "worker next",
        "For workers only: what to do (JSON with -i)",
        lambda api, args: json.dumps(api.loader.worker_next(args["id"], args["message"])),
        _TOLD,
        raw=True,
        writes=True,
    ),
    Question(
        "worker tell",
        "For workers only: what was done (JSON with -i)",
        lambda api, args: json.dumps(api.loader.worker_tell(args["id"], args["message"])),
        _TOLD,
        raw=True,
        writes=True,
    ),
)
