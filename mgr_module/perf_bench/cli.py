"""The commands: name, arguments, one line of help, one call.

A table of our own instead of the decorators of ``mgr_module``: those were renamed in Ceph 20,
and they cannot have arguments called ``class`` or ``as``, which INTERFACE promises. The plain
descriptors below are what every release's decorators produce in the end.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import yaml

from .api import Api
from .errors import InvalidValue, NotFound, PerfBenchError
from .model.request import Request
from .model.schedule import ScheduleRequest
from .report import (
    advice,
    comparison,
    crc,
    enclosures,
    findings,
    hosts,
    laggy_table,
    mclock,
    quiesce,
    reference,
    schedules,
    tables,
    workers,
)

Args = Mapping[str, Any]
# (return code, stdout, stderr) as ceph-mgr wants it.
Reply = tuple[int, str, str]


@dataclass(frozen=True)
class Answer:
    """A command's answer: ``shape`` for machines, ``plain`` makes of it what people read.

    Made only when asked for: a table of 500 rows takes longer than its JSON.
    """

    shape: Any
    plain: Callable[[Any], str]


@dataclass(frozen=True)
class Raw:
    """An answer that is a file of its own and ignores ``--format``."""

    text: str


@dataclass(frozen=True)
class Command:
    """``args`` are words "name:Type", with "?" after the names that may be absent."""

    name: str
    perm: str
    help: str
    args: str
    call: Callable[[Api, Args], Union[Answer, Raw]]
    # Whether it reads the file of -i, as the argument "file".
    reads: bool = False

    def descriptor(self) -> dict[str, Any]:
        """As ``MgrModule.COMMANDS`` takes it."""
        words = [f"perf-bench {self.name}"]
        for arg in f"{self.args} format?:Format".split():
            name, type_ = arg.split(":")
            words.append(
                f"name={name.rstrip('?')},type={_TYPES[type_]}"
                + (",req=false" if name.endswith("?") else "")
            )
        return {"cmd": " ".join(words), "desc": self.help, "perm": self.perm}


FORMATS = ("plain", "json", "json-pretty", "yaml")
_TYPES = {
    "Str": "CephString",
    "Int": "CephInt",
    "Bool": "CephBool",
    "Format": f"CephChoices,strings={'|'.join(FORMATS)}",
}


def _status(api: Api, _args: Args) -> Answer:
    shape = api.status()
    return Answer(shape, tables.status)


def _profile_ls(api: Api, _args: Args) -> Answer:
    shape = api.profile_ls()
    return Answer(shape, tables.profiles)


def _profile_show(api: Api, args: Args) -> Answer:
    shape = api.profile_show(args["name"])
    return Answer(shape, tables.profile)


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
        shape = api.rounds.plan(request)
        return Answer(shape, tables.plan)
    shape = api.rounds.start(request)
    return Answer(shape, _started)


def _started(shape: Any) -> str:
    return f"round {shape['id']} started: 'ceph perf-bench round show {shape['id']}' follows it"


def _round_ls(api: Api, args: Args) -> Answer:
    shape, total = api.rounds.ls(
        args.get("kind"), args.get("state"), args.get("limit"), args.get("offset")
    )
    return Answer(shape, _with_more(tables.rounds, total, args))


def _round_show(api: Api, args: Args) -> Answer:
    # The table shows no samples, and they are most of the work.
    samples = (args.get("format") or "plain") != "plain"
    shape = api.rounds.show(_id(args["id"]), args.get("limit"), args.get("offset"), samples)
    return Answer(shape, tables.round_)


def _round_compare(api: Api, args: Args) -> Answer:
    pair = _id(args["a"]), _id(args["b"])
    shape = api.comparing.rounds(*pair, args.get("limit"), args.get("offset"))
    return Answer(shape, comparison.comparison_text)


def _round_abort(api: Api, args: Args) -> Answer:
    shape = api.rounds.abort(None if args.get("id") is None else _id(args["id"]))
    return Answer(shape, lambda shown: f"round {shown['id']} is being aborted")


def _round_rm(api: Api, args: Args) -> Answer:
    shape = api.rounds.rm(_id(args["id"]))
    return Answer(shape, lambda shown: f"round {shown['id']} is removed")


def _round_export(api: Api, args: Args) -> Raw:
    return Raw(api.rounds.export(_id(args["id"]), args.get("as") or "json"))


def _round_import(api: Api, args: Args) -> Answer:
    shape = api.rounds.take(args["file"], args["as"], args.get("label"))
    return Answer(shape, _taken)


def _taken(shape: Any) -> str:
    return f"round {shape['id']} has it: 'ceph perf-bench round show {shape['id']}' shows it"


def _baseline_set(api: Api, args: Args) -> Answer:
    shape = api.comparing.set_baseline(_id(args["id"]), args.get("profile"))
    return Answer(
        shape, lambda shown: f"round {shown['round']} is the baseline of {shown['profile']} now"
    )


def _baseline_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.comparing.baselines(), comparison.baselines_text)


def _reference_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.comparing.references(), reference.figures)


def _osd_ls(api: Api, args: Args) -> Answer:
    terms = [f"{kind}={args[kind]}" for kind in ("class", "host") if args.get(kind) is not None]
    if args.get("osds") is not None:
        terms.append(args["osds"])
    shape, total = api.osds.ls(
        args.get("sort"),
        args.get("limit"),
        args.get("offset"),
        "&".join(terms) or None,
        args.get("profile"),
    )
    return Answer(shape, _with_more(tables.osds, total, args))


def _osd_show(api: Api, args: Args) -> Answer:
    shape = api.osds.show(_osd_id(args["id"]))
    return Answer(shape, tables.osd)


def _cohort_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.watch.cohorts(), tables.cohorts)


def _doctor(api: Api, args: Args) -> Answer:
    return Answer(
        api.doctor.advice(None if args.get("osd") is None else _osd_id(args["osd"])), advice.sheet
    )


def _enclosure_ls(api: Api, args: Args) -> Answer:
    shape, total = api.enclosures.ls(args.get("limit"), args.get("offset"))
    return Answer(shape, _with_more(enclosures.enclosures, total, args))


def _enclosure_show(api: Api, args: Args) -> Answer:
    return Answer(api.enclosures.show(args["id"]), enclosures.sheet)


def _multipath_ls(api: Api, args: Args) -> Answer:
    shape, total = api.enclosures.multipaths(args.get("limit"), args.get("offset"))
    return Answer(shape, _with_more(enclosures.multipaths, total, args))


def _crc_ls(api: Api, args: Args) -> Answer:
    shape, total = api.crc.ls(args.get("limit"), args.get("offset"), sort=args.get("sort"))
    return Answer(shape, crc.sheet_of(total - (args.get("offset") or 0)))


def _mclock_ls(api: Api, args: Args) -> Answer:
    shape, total = api.mclock.ls(args.get("limit"), args.get("offset"))
    return Answer(shape, _with_more(mclock.capacities, total, args))


def _mclock_propose(api: Api, args: Args) -> Answer:
    if args.get("apply"):
        return Answer(api.mclock.apply(), mclock.applied)
    return Answer(api.mclock.propose(), mclock.proposals)


def _mclock_restore(api: Api, _args: Args) -> Answer:
    return Answer(api.mclock.restore(), mclock.restored)


def _host_import(api: Api, args: Args) -> Answer:
    return Answer(api.hosts.take(args["host"], args["file"]), hosts.taken)


def _worker_ls(api: Api, args: Args) -> Answer:
    shape, total = api.workers.ls(args.get("limit"), args.get("offset"))
    return Answer(shape, _with_more(workers.workers, total, args))


def _host_ls(api: Api, args: Args) -> Answer:
    shape, total = api.hosts.ls(args.get("limit"), args.get("offset"))
    return Answer(shape, _with_more(hosts.hosts, total, args))


def _finding_ls(api: Api, args: Args) -> Answer:
    shape, total = api.watch.findings(
        bool(args.get("all")), args.get("limit"), args.get("offset"), sort=args.get("sort")
    )
    return Answer(shape, _with_more(findings.findings, total, args))


def _finding_show(api: Api, args: Args) -> Answer:
    return Answer(api.watch.finding(_finding_id(args["id"])), findings.finding_sheet)


def _finding_mute(api: Api, args: Args) -> Answer:
    if args.get("for") is None:
        raise InvalidValue("say for how long, as in: finding mute 3 1d", field="for")
    shape = api.watch.mute(_finding_id(args["id"]), args["for"])
    return Answer(
        shape, lambda shown: f"finding {shown['id']} is muted until {shown['muted_until']}"
    )


def _laggy_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.watch.laggy(), laggy_table.laggy)


def _metrics(api: Api, args: Args) -> Raw:
    return Raw(api.metrics.text(per_osd=not args.get("no_osds")))


def _trace_export(api: Api, args: Args) -> Raw:
    return Raw(api.watch.trace(args.get("since"), args.get("osds")))


def _schedule_add(api: Api, args: Args) -> Answer:
    names = ("every", "cron", "window", "timezone", "osds", "missed")
    given = {name: args.get(name) for name in names}
    return Answer(
        api.schedules.add(ScheduleRequest(args["name"], args["profile"], **given)),
        schedules.next_runs,
    )


def _schedule_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.schedules.ls(), schedules.schedules)


def _schedule_rm(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.rm(args["name"]), lambda shown: f"{shown['name']} is removed")


def _schedule_pause(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.pause(args["name"]), schedules.next_runs)


def _schedule_resume(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.resume(args["name"]), schedules.next_runs)


def _quiesce_status(api: Api, _args: Args) -> Answer:
    return Answer(api.quiesce.status(), quiesce.quiesce_text)


def _quiesce_restore(api: Api, _args: Args) -> Answer:
    return Answer(api.quiesce.restore(), quiesce.restored_text)


COMMANDS: Sequence[Command] = (
    Command("status", "r", "Show what perf_bench is doing", "", _status),
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
    Command(
        "schedule add",
        "rw",
        "Start rounds of a profile by themselves, as --every 1d or --cron '0 3 * * 6'",
        "name:Str profile:Str every?:Str cron?:Str window?:Str timezone?:Str osds?:Str missed?:Str",
        _schedule_add,
    ),
    Command("schedule ls", "r", "List schedules with their next runs", "", _schedule_ls),
    Command("schedule rm", "rw", "Remove a schedule", "name:Str", _schedule_rm),
    Command("schedule pause", "rw", "Start nothing by a schedule", "name:Str", _schedule_pause),
    Command("schedule resume", "rw", "Let a schedule go on", "name:Str", _schedule_resume),
    Command(
        "quiesce status",
        "r",
        "Show what a round has changed in the cluster's settings",
        "",
        _quiesce_status,
    ),
    Command(
        "quiesce restore",
        "rw",
        "Put back what a round changed, where none runs any more",
        "",
        _quiesce_restore,
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
        "osd ls",
        "r",
        "List OSDs with their newest bench",
        "sort?:Str limit?:Int offset?:Int class?:Str host?:Str profile?:Str osds?:Str",
        _osd_ls,
    ),
    Command("cohort ls", "r", "List who is compared with whom, and how well", "", _cohort_ls),
    Command(
        "finding ls",
        "r",
        "List what is wrong, worst first; with --all what is over too",
        "all?:Bool limit?:Int offset?:Int sort?:Str",
        _finding_ls,
    ),
    Command("finding show", "r", "Show a finding with its evidence", "id:Str", _finding_show),
    Command(
        "finding mute",
        "rw",
        "Leave a finding out of health for a time: finding mute 3 1d",
        "id:Str for?:Str",
        _finding_mute,
    ),
    Command(
        "doctor",
        "r",
        "Advise on settings and hosts, with evidence and the command that mends it",
        "osd?:Str",
        _doctor,
    ),
    Command(
        "enclosure ls",
        "r",
        "List enclosures, their OSDs, and what is wrong with them",
        "limit?:Int offset?:Int",
        _enclosure_ls,
    ),
    Command("enclosure show", "r", "Show an enclosure slot by slot", "id:Str", _enclosure_show),
    Command(
        "multipath ls",
        "r",
        "List disks of several paths, and how many carry data",
        "limit?:Int offset?:Int",
        _multipath_ls,
    ),
    Command(
        "crc ls",
        "r",
        "List what OSDs spend on checksums, and what links and media count of errors",
        "limit?:Int offset?:Int sort?:Str",
        _crc_ls,
    ),
    Command(
        "mclock ls",
        "r",
        "List the IOPS that mClock takes OSDs to be capable of, and those measured",
        "limit?:Int offset?:Int",
        _mclock_ls,
    ),
    Command(
        "mclock propose",
        "rw",
        "Propose capacities by what rounds measured; set them with --apply",
        "apply?:Bool",
        _mclock_propose,
    ),
    Command(
        "mclock restore", "rw", "Put back the capacities that were before", "", _mclock_restore
    ),
    Command(
        "host import",
        "rw",
        "Take over what ceph-perf-bench facts printed on that host, from -i FILE",
        "host:Str",
        _host_import,
        reads=True,
    ),
    Command(
        "host ls", "r", "List hosts and how old their facts are", "limit?:Int offset?:Int", _host_ls
    ),
    Command(
        "worker ls",
        "r",
        "List the hosts that wait to run clients of rounds",
        "limit?:Int offset?:Int",
        _worker_ls,
    ),
    Command("laggy ls", "r", "Show laggy placement groups and whose fault they are", "", _laggy_ls),
    Command("metrics", "r", "Print metrics for Prometheus", "no_osds?:Bool", _metrics),
    Command(
        "trace export",
        "r",
        "Print the recorded latencies as CSV (--since 1d), to try rules on",
        "since?:Str osds?:Str",
        _trace_export,
    ),
    Command("osd show", "r", "Show one OSD with its bench history", "id:Str", _osd_show),
)
_BY_PREFIX = {f"perf-bench {command.name}": command for command in COMMANDS}


def descriptors() -> list[dict[str, Any]]:
    """The commands as ``MgrModule.COMMANDS`` takes them."""
    return [command.descriptor() for command in COMMANDS]


def dispatch(api: Api, order: Args, file: str = "") -> Reply:
    """Carry out one command; ``file`` is what came with -i.

    Every error of the family becomes its errno and one sentence.
    """
    command = _BY_PREFIX.get(order.get("prefix", ""))
    if command is None:
        return -errno.EINVAL, "", f"unknown command '{order.get('prefix')}'"
    try:
        answer = command.call(api, {**order, "file": file} if command.reads else order)
        return 0, render(answer, order.get("format")), ""
    except PerfBenchError as error:
        return -error.errno, "", str(error)


def render(answer: Union[Answer, Raw], format_: Optional[str]) -> str:
    """The answer in the format asked for; "plain" when none is."""
    if isinstance(answer, Raw):
        return answer.text
    if format_ == "json":
        return json.dumps(answer.shape)
    if format_ == "json-pretty":
        return json.dumps(answer.shape, indent=2)
    if format_ == "yaml":
        return str(yaml.safe_dump(answer.shape, sort_keys=False, default_flow_style=False))
    return answer.plain(answer.shape)


def _with_more(
    table: Callable[[Sequence[Any]], str], total: int, args: Args
) -> Callable[[Sequence[Any]], str]:
    """The table of a page, and below it how many rows come after the page."""

    def plain(shown: Sequence[Any]) -> str:
        more = total - (args.get("offset") or 0) - len(shown)
        tail = f"\n… {more} more: --limit, --offset" if more > 0 else ""
        return table(shown) + tail

    return plain


def _id(text: str) -> int:
    if not _is_number(text) or len(text) > 15:
        raise NotFound(
            f"no round '{text}': a round's ID is a number, see 'ceph perf-bench round ls'"
        )
    return int(text)


def _finding_id(text: str) -> int:
    if not _is_number(text) or len(text) > 15:
        raise NotFound(
            f"no finding '{text}': a finding's ID is a number, see 'ceph perf-bench finding ls'"
        )
    return int(text)


def _osd_id(text: str) -> int:
    digits = text.removeprefix("osd.")
    if not _is_number(digits) or len(digits) > 9:
        raise InvalidValue(f"'{text}' is not an OSD: give its ID, as 3 or osd.3", field="id")
    return int(digits)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # "²" is a digit too, and no number
