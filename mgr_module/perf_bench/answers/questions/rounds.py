"""Questions of the bench journey: profiles, rounds, what they are compared with, workers."""

from __future__ import annotations

import json
from typing import Union

from ...model.plan import Request
from .. import comparing, loads, plans, rounds
from ..api import Api
from ..paging import Page
from ..paging import keyed as keyed_fields
from ..plans import Plan
from ..rounds import Started
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
_PAIR_NEEDED = "the IDs of two rounds are needed, a and b"


def _start(api: Api, args: Args) -> Union[Plan, Started]:
    request = Request(**{name: value for name, value in args.items() if name != "dry_run"})
    return api.rounds.plan(request) if args.get("dry_run") else api.rounds.start(request)


def _plan_or_started(answer: Union[Plan, Started]) -> str:
    if isinstance(answer, Plan):
        return plans.plan_text(answer)
    return f"round {answer.id} started: 'ceph perf-bench round show {answer.id}' follows it"


def _imported(answer: Started) -> str:
    return f"round {answer.id} has it: 'ceph perf-bench round show {answer.id}' shows it"


QUESTIONS = (
    Question(
        "profile ls",
        "List the profiles of rounds",
        lambda api, _args: api.profile_ls(),
        WHOLE_LIST,
        plans.profiles_text,
        rest="GET profile",
        answer="[Profile]",
        page=keyed("name", "kind", "description", "repeats"),
    ),
    Question(
        "profile show",
        "Show one profile",
        lambda api, args: api.profile_show(args["name"]),
        needed("name"),
        plans.profile_text,
    ),
    Question(
        "profile history",
        "Show a profile's rounds in a row, and where their level changed",
        lambda api, args: comparing.history(*api.comparing.history(args["name"])),
        (
            Argument(
                "name",
                cli=Use.NEEDED,
                rest=Use.NEEDED,
                rest_name="profile",
                missing=_PROFILE_NEEDED,
            ),
        ),
        comparing.history_text,
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
        lambda api, args: api.rounds.ls(
            Page.asked(args), args.get("kind"), args.get("state"), args.get("comparable")
        ),
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
        counts="found",
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
        lambda api, args: comparing.compare(api.comparing, **args),
        (
            *needed("a", "b", kind=ArgumentKind.ROUND_ID, missing=_PAIR_NEEDED),
            *PAGE,
            Argument("fail_on", rest=Use.ABSENT),
        ),
        comparing.comparison_text,
        fails=comparing.named_verdict,
        rest_of=comparing.rest_of_comparison,
        counts="osds",
        rest="GET round/compare",
        answer="Comparison",
    ),
    Question(
        "round abort",
        "End the running round",
        lambda api, args: api.rounds.abort(args.get("id")),
        (Argument("id", ArgumentKind.ROUND_ID, rest=Use.NEEDED),),
        lambda answer: f"round {answer.id} is being aborted",
        rest="POST round/ID/abort",
        answer="Started",
        writes=True,
    ),
    Question(
        "round rm",
        "Delete an ended round and its samples",
        lambda api, args: api.rounds.rm(args["id"]),
        ROUND,
        lambda answer: f"round {answer.id} is removed",
        rest="DELETE round/ID",
        writes=True,
    ),
    Question(
        "round export",
        "Print a whole round as json, csv, openmetrics, html or cbt, or its rows with --raw",
        lambda api, args: api.files.text(args["id"], args.get("as"), args.get("raw", False)),
        _FILE,
        raw=True,
    ),
    Question(
        "round file",
        "Answer with a part of the file that 'round export' prints",
        lambda api, args: api.files.part(
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
        lambda api, args: comparing.baseline(
            api.comparing.set_baseline(args["id"], args.get("profile"))
        ),
        (*ROUND, *optional("profile")),
        lambda answer: f"round {answer.round} is the baseline of {answer.profile} now",
        rest="POST baseline",
        answer="Baseline",
        writes=True,
    ),
    Question(
        "baseline ls",
        "List the baselines of profiles",
        lambda api, _args: [comparing.baseline(one) for one in api.comparing.baselines()],
        WHOLE_LIST,
        comparing.baselines_text,
        rest="GET baseline",
        answer="[Baseline]",
        page=keyed(
            *("profile", "round", "set_at", "started_at", "label", "bytes_per_second", "iops"),
        ),
    ),
    Question(
        "reference ls",
        "List published figures with their hardware and source",
        lambda api, _args: [comparing.figure(one) for one in api.comparing.published()],
        WHOLE_LIST,
        comparing.figures_text,
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
            [loads.worker(one) for one in api.loader.workers()],
            keyed_fields("id", "host", "version", "state", "last_seen", "clock_offset", "note"),
            ("id", "host", "version", "state", "note"),
        ),
        LIST,
        loads.workers_text,
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
