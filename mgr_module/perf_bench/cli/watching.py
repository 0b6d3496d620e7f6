"""Commands of the watch journey: OSDs, findings, laggy groups, and what is recorded of them."""

from __future__ import annotations

from ..api import Api
from ..errors import InvalidValue
from ..report import findings, laggy_table, tables
from .command import Answer, Args, Command, Raw, paged
from .ids import finding_id, osd_id


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
    return Answer(shape, paged(tables.osds, total, args))


def _osd_show(api: Api, args: Args) -> Answer:
    return Answer(api.osds.show(osd_id(args["id"])), tables.osd)


def _cohort_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.watch.cohorts(), tables.cohorts)


def _finding_ls(api: Api, args: Args) -> Answer:
    shape, total = api.watch.findings(
        bool(args.get("all")), args.get("limit"), args.get("offset"), sort=args.get("sort")
    )
    return Answer(shape, paged(findings.findings, total, args))


def _finding_show(api: Api, args: Args) -> Answer:
    return Answer(api.watch.finding(finding_id(args["id"])), findings.finding_sheet)


def _finding_mute(api: Api, args: Args) -> Answer:
    if args.get("for") is None:
        raise InvalidValue("say for how long, as in: finding mute 3 1d", field="for")
    shape = api.watch.mute(finding_id(args["id"]), args["for"])
    return Answer(
        shape, lambda shown: f"finding {shown['id']} is muted until {shown['muted_until']}"
    )


def _laggy_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.watch.laggy(), laggy_table.laggy)


def _metrics(api: Api, args: Args) -> Raw:
    return Raw(api.metrics.text(per_osd=not args.get("no_osds")))


def _trace_export(api: Api, args: Args) -> Raw:
    return Raw(api.watch.trace(args.get("since"), args.get("osds")))


COMMANDS = (
    Command(
        "osd ls",
        "r",
        "List OSDs with their newest bench",
        "sort?:Str limit?:Int offset?:Int class?:Str host?:Str profile?:Str osds?:Str",
        _osd_ls,
    ),
    Command("osd show", "r", "Show one OSD with its bench history", "id:Str", _osd_show),
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
    Command("laggy ls", "r", "Show laggy placement groups and whose fault they are", "", _laggy_ls),
    Command("metrics", "r", "Print metrics for Prometheus", "no_osds?:Bool", _metrics),
    Command(
        "trace export",
        "r",
        "Print the recorded latencies as CSV (--since 1d), to try rules on",
        "since?:Str osds?:Str",
        _trace_export,
    ),
)
