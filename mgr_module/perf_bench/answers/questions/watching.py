"""Questions of the watch journey: OSDs, findings, laggy groups, and what is recorded of them."""

from __future__ import annotations

import json
from typing import Any

from ...errors import InvalidValue
from ...model.osd import Selection
from .. import ceph_alerts, coverage, findings, laggy, osds, why
from ..api import Api
from ..coverage import ALL
from ..paging import Page
from .question import (
    LIST,
    PAGE,
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
from .rights import NO_CONFIGURATION

_OSD = needed("id", kind=ArgumentKind.OSD_ID)
_FINDING = needed("id", kind=ArgumentKind.FINDING_ID)
_SEARCH = rest_only(optional("search"))


def _osds(api: Api, args: Args) -> tuple[Any, int]:
    terms = [_term(kind, args[kind]) for kind in ("class", "host") if kind in args]
    terms += [args["osds"]] if "osds" in args else []
    return api.osds.ls("&".join(terms) or None, args.get("profile"), Page.asked(args))


def _term(kind: str, name: str) -> str:
    """The term of an expression. Raises InvalidValue that names the argument."""
    term = f"{kind}={name}"
    try:
        Selection.parse(term)
    except InvalidValue as error:
        raise InvalidValue(error.message, field=kind) from None
    return term


def _findings(api: Api, args: Args) -> tuple[Any, int]:
    return api.findings.ls(args.get("all", False), Page.asked(args))


def _mute(api: Api, args: Args) -> Any:
    if "for" not in args:
        raise InvalidValue("say for how long, as in: finding mute 3 1d", field="for")
    return api.findings.mute(args["id"], args["for"])


def _ack(api: Api, args: Args) -> Any:
    if args.get("remove"):
        if "text" in args:
            raise InvalidValue("give a text or --remove, not both", field="remove")
        return api.findings.unacknowledge(args["id"])
    return api.findings.acknowledge(args["id"], args.get("text", ""), args.get("by"))


def _trace(api: Api, args: Args) -> str:
    asked = args.get("since"), args.get("osds")
    if "from" not in args:
        return api.series.trace(*asked)
    return json.dumps(api.series.trace_piece(args["from"], *asked))


def _laggy_page(shape: Any, args: Args) -> tuple[Any, int]:
    """What is laggy with a page of the OSDs, all of them where no page is asked for."""
    if not args:
        return shape, len(shape["osds"])
    keys = ("osd", "host", "laggy_pg_seconds", "share")
    osds, total = Page.asked(args).of_keyed(shape["osds"], *keys)
    return {**shape, "osds": osds}, total


QUESTIONS = (
    Question(
        "osd ls",
        "List OSDs with their newest bench",
        _osds,
        (*optional("sort"), *PAGE, *optional("class", "host", "profile", "osds"), *_SEARCH),
        osds.osds_text,
        rest="GET osd",
        answer="[Osd]",
        paged=True,
        covers=("slow_osds",),
    ),
    Question(
        "osd show",
        "Show one OSD with its bench history",
        lambda api, args: api.osds.show(args["id"]),
        _OSD,
        osds.osd_text,
        rest="GET osd/ID",
        answer="OsdDetail",
    ),
    Question(
        "osd why",
        "Ask an OSD and its peers where its operations spend their time, and whom they wait for",
        lambda api, args: api.breakdowns.why(args["id"]),
        _OSD,
        why.text,
        rest="GET osd/ID/why",
        answer="OsdWhy",
    ),
    Question(
        "osd map",
        "Show every OSD with its newest bench, as rows of columns",
        lambda api, args: api.osds.map(args.get("profile")),
        optional("profile"),
        rest="GET osd/map",
        answer="OsdMap",
    ),
    Question(
        "osd latency",
        "Show every OSD with its latencies and its state, as rows of columns",
        lambda api, _args: api.osds.latency(),
        rest="GET osd/latency",
        answer="OsdLatency",
    ),
    Question(
        "osd series",
        "Show an OSD's latencies over time, by channel",
        lambda api, args: api.series.series(args["id"], args.get("since"), args.get("channel")),
        (*_OSD, *optional("since", "channel")),
        rest="GET osd/ID/series",
        answer="OsdSeries",
    ),
    Question(
        "cohort ls",
        "List who is compared with whom, and how well",
        lambda api, _args: api.coverage.cohorts(),
        WHOLE_LIST,
        coverage.cohorts_text,
        rest="GET cohort",
        answer="[Cohort]",
        page=keyed("name", "members", "judged", "channel", "minimum_detectable_ratio"),
    ),
    Question(
        "finding ls",
        "List what is wrong, worst first; with --all what is over too",
        _findings,
        (
            Argument("all", ArgumentKind.FLAG, rest_name="everything"),
            *PAGE,
            *optional("sort"),
            *_SEARCH,
        ),
        findings.findings_text,
        rest="GET finding",
        answer="[Finding]",
        paged=True,
        covers=ALL,
        below=lambda api: ceph_alerts.alerts_below(api.findings.alerts()),
    ),
    Question(
        "alert ls",
        "Explain Ceph's own alerts about slow OSDs: where, what they mean, what to do",
        lambda api, _args: api.findings.alerts(),
        WHOLE_LIST,
        ceph_alerts.alerts_text,
        rest="GET alert",
        answer="[CephAlert]",
        page=keyed("code", "severity", "summary", "spread", "ongoing"),
    ),
    Question(
        "coverage ls",
        "List what is looked at, how much of it, and what would bring the rest",
        lambda api, args: api.coverage.ls(Page.asked(args)),
        LIST,
        coverage.looks_text,
        rest="GET coverage",
        answer="[Look]",
        paged=True,
    ),
    Question(
        "finding show",
        "Show a finding with its evidence",
        lambda api, args: api.findings.show(args["id"]),
        _FINDING,
        findings.finding_text,
        rest="GET finding/ID",
        answer="FindingDetail",
    ),
    Question(
        "finding incident",
        "Show a finding's OSDs against their peers, what it hurts, and what changed then",
        lambda api, args: api.incidents.show(
            args["id"], args.get("since"), args.get("channel"), args.get("config", True)
        ),
        (*_FINDING, *optional("since", "channel")),
        rest="GET finding/ID/incident",
        answer="Incident",
        without=NO_CONFIGURATION,
    ),
    Question(
        "cluster latency",
        "Show latencies of the cluster and its device classes over time, and what happened",
        lambda api, args: api.cluster.latency(
            args.get("since"), args.get("channel"), args.get("config", True)
        ),
        optional("since", "channel"),
        rest="GET cluster/latency",
        answer="ClusterLatency",
        without=NO_CONFIGURATION,
    ),
    Question(
        "cluster strip",
        "Show when which OSDs stood out in the last 24 h",
        lambda api, _args: api.cluster.strip(),
        rest="GET cluster/strip",
        answer="ClusterStrip",
    ),
    Question(
        "cluster interval",
        "Show what was different in a time, most different first",
        lambda api, args: api.cluster.interval(
            args["begin"], args["end"], args.get("config", True)
        ),
        needed("begin", "end", kind=ArgumentKind.NUMBER),
        rest="GET cluster/interval",
        answer="ClusterInterval",
        without=NO_CONFIGURATION,
    ),
    Question(
        "report",
        "Print what happened in --since 30d as html or json: findings, rounds, trends, changes",
        lambda api, args: api.period.text(args.get("since"), args.get("as")),
        optional("since", "as"),
        raw=True,
    ),
    Question(
        "report file",
        "Answer with the file that 'report' prints",
        lambda api, args: api.period.file(
            args.get("since"), args.get("as"), args.get("config", True)
        ),
        optional("since", "as"),
        rest="GET report",
        answer="ReportFile",
        without=NO_CONFIGURATION,
    ),
    Question(
        "finding kinds",
        "Show every kind of finding: what it means, what to do, its evidence in words",
        lambda _api, _args: findings.kinds(),
        WHOLE_LIST,
        rest="GET finding/kind",
        answer="[FindingKind]",
        page=keyed("code", "title", "meaning", "action", "severity"),
    ),
    Question(
        "finding mute",
        "Leave a finding out of health for a time: finding mute 3 1d",
        _mute,
        (*_FINDING, Argument("for", rest=Use.NEEDED)),
        lambda one: f"finding {one.id} is muted until {one.muted_until}",
        rest="POST finding/ID/mute",
        answer="Finding",
        writes=True,
    ),
    Question(
        "finding ack",
        "Note on a finding what is known or done: finding ack 3 'disk ordered'; health keeps it",
        _ack,
        (
            *_FINDING,
            *optional("text"),
            Argument("by", rest=Use.SESSION),
            *optional("remove", kind=ArgumentKind.FLAG),
        ),
        findings.acknowledged_text,
        rest="POST finding/ID/ack",
        answer="Finding",
        writes=True,
    ),
    Question(
        "laggy ls",
        "Show laggy placement groups and whose fault they are",
        lambda api, _args: api.laggy(),
        WHOLE_LIST,
        laggy.laggy_text,
        covers=("laggy_pgs",),
        rest="GET laggy",
        answer="Laggy",
        page=_laggy_page,
    ),
    Question(
        "metrics",
        "Print metrics for Prometheus",
        lambda api, args: api.metrics.text(per_osd=not args.get("no_osds")),
        optional("no_osds", kind=ArgumentKind.FLAG),
        raw=True,
    ),
    Question(
        "trace export",
        "Print the recorded latencies as CSV (--since 1d), to try rules on",
        _trace,
        (*optional("since", "osds"), *optional("from", kind=ArgumentKind.NUMBER)),
        raw=True,
    ),
)
