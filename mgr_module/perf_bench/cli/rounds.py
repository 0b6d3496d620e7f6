"""Commands of the bench journey: profiles, rounds, what they are held against, who runs them."""

from __future__ import annotations

from typing import Any

from ..api import Api
from ..api.paging import Page
from ..model.request import Request
from ..report import comparison, reference, tables, workers
from .command import Answer, Args, Command, Raw, paged
from .ids import round_id


def _profile_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.profile_ls(), tables.profiles)


def _profile_show(api: Api, args: Args) -> Answer:
    return Answer(api.profile_show(args["name"]), tables.profile)


def _profile_history(api: Api, args: Args) -> Answer:
    return Answer(api.comparing.history(args["name"]), comparison.history_text)


def _round_start(api: Api, args: Args) -> Answer:
    request = Request(
        profile=args["profile"],
        osds=args.get("osds"),
        repeats=args.get("repeats"),
        max_repeats=args.get("max_repeats"),
        size=args.get("size"),
        rest=args.get("rest"),
        rests=args.get("rests"),
        solo=args.get("solo"),
        label=args.get("label"),
        force=bool(args.get("force")),
        pool=args.get("pool"),
        clients=args.get("clients"),
        threads=args.get("threads"),
        seconds=args.get("seconds"),
        foreign_pool=bool(args.get("foreign_pool")),
        workers=args.get("workers"),
    )
    if args.get("dry_run"):
        return Answer(api.rounds.plan(request), tables.plan)
    return Answer(api.rounds.start(request), _started)


def _started(shape: Any) -> str:
    return f"round {shape['id']} started: 'ceph perf-bench round show {shape['id']}' follows it"


def _round_ls(api: Api, args: Args) -> Answer:
    shape, total = api.rounds.ls(
        args.get("kind"), args.get("state"), args.get("limit"), args.get("offset")
    )
    return Answer(shape, paged(tables.rounds, total, args))


def _round_show(api: Api, args: Args) -> Answer:
    # The table shows no samples, and they are most of the work.
    samples = (args.get("format") or "plain") != "plain"
    return Answer(
        api.rounds.show(round_id(args["id"]), args.get("limit"), args.get("offset"), samples),
        tables.round_,
    )


def _round_compare(api: Api, args: Args) -> Answer:
    pair = round_id(args["a"]), round_id(args["b"])
    return Answer(
        api.comparing.rounds(*pair, args.get("limit"), args.get("offset")),
        comparison.comparison_text,
    )


def _round_abort(api: Api, args: Args) -> Answer:
    shape = api.rounds.abort(None if args.get("id") is None else round_id(args["id"]))
    return Answer(shape, lambda shown: f"round {shown['id']} is being aborted")


def _round_rm(api: Api, args: Args) -> Answer:
    shape = api.rounds.rm(round_id(args["id"]))
    return Answer(shape, lambda shown: f"round {shown['id']} is removed")


def _round_export(api: Api, args: Args) -> Raw:
    return Raw(api.rounds.export(round_id(args["id"]), args.get("as") or "json"))


def _round_import(api: Api, args: Args) -> Answer:
    return Answer(api.rounds.take(args["file"], args["as"], args.get("label")), _taken)


def _taken(shape: Any) -> str:
    return f"round {shape['id']} has it: 'ceph perf-bench round show {shape['id']}' shows it"


def _baseline_set(api: Api, args: Args) -> Answer:
    shape = api.comparing.set_baseline(round_id(args["id"]), args.get("profile"))
    return Answer(shape, _set)


def _set(shape: Any) -> str:
    return f"round {shape['round']} is the baseline of {shape['profile']} now"


def _baseline_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.comparing.baselines(), comparison.baselines_text)


def _reference_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.comparing.references(), reference.figures)


def _worker_ls(api: Api, args: Args) -> Answer:
    shape, total = api.workers.ls(Page.asked(args))
    return Answer(shape, paged(workers.workers, total, args))


COMMANDS = (
    Command("profile ls", "r", "List the profiles of rounds", "", _profile_ls),
    Command("profile show", "r", "Show one profile", "name:Str", _profile_show),
    Command(
        "profile history",
        "r",
        "Show a profile's rounds in a row, and where their level changed",
        "name:Str",
        _profile_history,
    ),
    Command(
        "round start",
        "rw",
        "Start a round of a profile, or show with --dry-run what it would do",
        "profile:Str osds?:Str pool?:Str clients?:Int threads?:Int seconds?:Int workers?:Str "
        "size?:Str repeats?:Int max_repeats?:Int rest?:Str rests?:Int solo?:Str label?:Str "
        "dry_run?:Bool force?:Bool foreign_pool?:Bool",
        _round_start,
    ),
    Command(
        "round ls",
        "r",
        "List rounds, newest first",
        "kind?:Str state?:Str limit?:Int offset?:Int",
        _round_ls,
    ),
    Command(
        "round show",
        "r",
        "Show a round with its OSDs, slowest against their peers first",
        "id:Str limit?:Int offset?:Int",
        _round_show,
    ),
    Command(
        "round compare",
        "r",
        "Show whether round B is better or worse than round A, OSD by OSD",
        "a:Str b:Str limit?:Int offset?:Int",
        _round_compare,
    ),
    Command("round abort", "rw", "End the running round", "id?:Str", _round_abort),
    Command("round rm", "rw", "Delete an ended round and its samples", "id:Str", _round_rm),
    Command(
        "round export",
        "r",
        "Print a whole round as json, csv or openmetrics",
        "id:Str as?:Str",
        _round_export,
    ),
    Command(
        "round import",
        "rw",
        "Take over what fio or elbencho measured, of its JSON with -i, as a round of its own",
        "as:Str label?:Str",
        _round_import,
        reads=True,
    ),
    Command(
        "baseline set",
        "rw",
        "Hold the later rounds of its profile against this one",
        "id:Str profile?:Str",
        _baseline_set,
    ),
    Command("baseline ls", "r", "List the baselines of profiles", "", _baseline_ls),
    Command(
        "reference ls",
        "r",
        "List published figures with their hardware and source",
        "",
        _reference_ls,
    ),
    Command(
        "worker ls",
        "r",
        "List the hosts that wait to run clients of rounds",
        "limit?:Int offset?:Int",
        _worker_ls,
    ),
)
