# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""The REST API of perf_bench in the dashboard: thin, all it knows is asked of the module.

The dashboard itself asks for the permission of the scope osd that a method has (GET read, POST
create, DELETE delete); the module gets the user's permissions with each question, and asks for the
others, too.
"""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any

import cherrypy

from .. import mgr
from ..security import Permission, Scope
from ..services.auth import AuthManager, JwtManager
from . import (
    APIDoc,
    APIRouter,
    BaseController,
    Endpoint,
    EndpointDoc,
    ReadPermission,
    RESTController,
    allow_empty_body,
)
from ._perf_bench_ask import ask, forbidden

PAGE = 25
# Seconds after which to ask again when the module or its database does not answer.
_RETRY_AFTER = "5"
# Scopes that questions need permissions of.
_SCOPES = (Scope.OSD, Scope.POOL, Scope.CONFIG_OPT)
_PERMISSIONS = Permission.all_permissions()
_LIST = {
    "offset": (int, "How many entries to leave out", True),
    "limit": (int, "How many entries to answer with, 1 to 500", True, PAGE),
    "search": (str, "Only entries in which this text stands", True),
    "sort": (str, "A key of the answer, with '-' before it descending", True),
}
_ID = {"round_id": (int, "ID of the round")}


def _refuse_multipart() -> None:
    """Refuse a body of several parts before it is read; CherryPy breaks on one with no boundary."""
    if cherrypy.request.headers.get("Content-Type", "").lower().startswith("multipart/"):
        raise cherrypy.HTTPError(415, "the body must be a JSON object")


def _check_arguments() -> None:
    """Refuse what the dashboard would hand to a method and break.

    That is a body that is no JSON object, an argument with the name of Python's ``self``, and one
    that is in the address and in the body: the dashboard would take the body's.
    """
    body = getattr(cherrypy.request, "json", {})
    if not isinstance(body, dict):
        raise cherrypy.HTTPError(400, "the body must be a JSON object")
    if "self" in body or "self" in cherrypy.request.params:
        raise cherrypy.HTTPError(400, "there is no argument 'self'")
    for name in body.keys() & cherrypy.request.params.keys():
        raise cherrypy.HTTPError(400, f"'{name}' is in the address and in the body")


def _refused(**_: Any) -> str:
    """The body of the dashboard's own 403, which does not say what is missing."""
    method = cherrypy.request.handler.callable
    scope, needed = method.__self__._security_scope, method._security_permissions
    held = _rights()[scope]
    cherrypy.response.headers["Content-Type"] = "application/json"
    return json.dumps(forbidden(scope, [one for one in needed if one not in held]).body)


def _rights() -> dict[str, list[str]]:
    """The user's permissions by scope."""
    user = JwtManager.get_username()
    return {
        scope: [one for one in _PERMISSIONS if AuthManager.authorize(user, scope, [one])]
        for scope in _SCOPES
    }


def _config() -> dict[str, Any]:
    # Errors that the web server itself answers with would carry a traceback.
    return {
        "request.show_tracebacks": False,
        "error_page.403": _refused,
        "hooks.before_request_body.perf_bench": _refuse_multipart,
        "hooks.before_handler.perf_bench": _check_arguments,
    }


def _answer(question: str, unknown: dict[str, Any], /, **arguments: Any) -> Any:
    """The module's answer; on an error its body, with the status set to what it means.

    ``unknown`` is what was given beside the method's own arguments; the module refuses it. What
    the path says already is refused here.
    """
    for name in arguments.keys() & unknown.keys():
        raise cherrypy.HTTPError(400, f"'{name}' is in the path already")
    remote = functools.partial(mgr.remote, "perf_bench", "answer")
    outcome = ask(remote, question, {**arguments, **unknown}, _rights())
    if outcome.status != 200:
        cherrypy.response.status = outcome.status
    if outcome.status == 503:
        cherrypy.response.headers["Retry-After"] = _RETRY_AFTER
    if outcome.total is not None:
        cherrypy.response.headers["X-Total-Count"] = str(outcome.total)
    return outcome.body


def _given(names: dict[str, Any]) -> dict[str, Any]:
    """What a method was called with, from its `locals()`: the question has the same names.

    The dashboard's documentation is made of the methods' own arguments, so these stand there.
    """
    return {name: value for name, value in names.items() if name not in ("self", "unknown")}


def _list(question: str, doc: str, name: str = "list", /, **also: Any) -> Any:
    """A method that answers with a page of a list.

    ``also`` is documented beside the arguments of every list. The dashboard's documentation, and
    what the method may be called with, come from its signature.
    """
    documented = {**_LIST, **also}
    defaults = {key: (*told, None)[3] for key, told in documented.items()}

    def method(self: Any, **given: Any) -> Any:  # noqa: ARG001 - the dashboard passes it
        return _answer(question, {}, **{**defaults, **given})

    arguments = [
        inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for key, default in defaults.items()
    ]
    method.__name__ = method.__qualname__ = name
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *arguments,
            inspect.Parameter("unknown", inspect.Parameter.VAR_KEYWORD),
        ]
    )
    return EndpointDoc(doc, parameters=documented)(method)


def _list_at(name: str, question: str, doc: str, /, **also: Any) -> Any:
    """The same below ``/perf_bench`` itself, at this name."""
    return Endpoint("GET")(ReadPermission(_list(question, doc, name, **also)))


def _counted(answer: Any, total: str = "osds") -> Any:
    """An answer with a page of OSDs, and how many there are in all; an error as it is."""
    if total in answer:
        cherrypy.response.headers["X-Total-Count"] = str(answer[total])
    return answer


@APIRouter("/perf_bench", Scope.OSD)
@APIDoc("Bench rounds and the slow parts of the cluster", "PerfBench")
class PerfBench(BaseController):
    """What concerns the whole."""

    _cp_config = _config()

    @Endpoint("GET")
    @ReadPermission
    @EndpointDoc("What perf_bench is doing")
    def status(self, **unknown: Any) -> Any:
        return _answer("status", unknown)

    @Endpoint("GET")
    @ReadPermission
    @EndpointDoc(
        "Findings, rounds, trends and changes of a time as a file; 'as' is html or json",
        parameters={"since": (str, "How far back, 1h to 30d", True)},
    )
    def report(self, since: Any = None, **more: Any) -> Any:
        # "as" cannot be an argument's name
        return _answer("report_file", more, since=since)

    profile = _list_at("profile", "profile_ls", "A page of the profiles of rounds")

    laggy = _list_at(
        "laggy",
        "laggy_ls",
        "Laggy placement groups now, by OSD (all, or a page of them) and pool, and the episodes",
        limit=(int, "How many OSDs to answer with, 1 to 500", True),
    )

    @Endpoint("GET", "/profile/history")
    @ReadPermission
    @EndpointDoc(
        "A profile's rounds in a row, where their level changed, and the regression if any",
        parameters={"profile": (str, "Name of a profile")},
    )
    def profile_history(self, profile: Any = None, **unknown: Any) -> Any:
        return _answer("profile_history", unknown, profile=profile)

    reference = _list_at(
        "reference", "reference_ls", "A page of the published figures, with hardware and source"
    )

    doctor = _list_at(
        "doctor",
        "doctor",
        "A page of what the doctor advises, worst first, with evidence and the mending command",
        osd=(int, "Only what concerns this OSD", True),
    )

    alert = _list_at(
        "alert",
        "alert_ls",
        "A page of Ceph's own alerts about slow OSDs, explained",
    )

    coverage = _list_at(
        "coverage",
        "coverage_ls",
        "A page of what is looked at, how much of it, and what would bring the rest",
    )

    cohort = _list_at(
        "cohort",
        "cohort_ls",
        "A page of who is compared with whom, and from which slowdown on one is seen",
    )


@APIRouter("/perf_bench/round", Scope.OSD)
@APIDoc("Bench rounds", "PerfBenchRound")
class PerfBenchRound(RESTController):
    """Rounds of benches."""

    _cp_config = _config()
    RESOURCE_ID = "round_id"

    list = _list(
        "round_ls",
        "A page of rounds, newest first",
        kind=(str, "Only rounds of this kind: osd, rados, fio, elbencho", True),
        state=(str, "Only rounds in this state", True),
        comparable=(int, "Only rounds that can be compared with the round of this ID", True),
    )

    @EndpointDoc(
        "A round with a page of its OSDs, slowest against their peers first",
        parameters={
            **_ID,
            "offset": _LIST["offset"],
            "limit": _LIST["limit"],
            "search": _LIST["search"],
            "sort": _LIST["sort"],
            "samples": (bool, "Also the samples of these OSDs", True, True),
            "osd": (int, "Only this OSD", True),
        },
    )
    def get(  # noqa: PLR0913, PLR0917 - a list's, and its own
        self,
        round_id: str,
        offset: Any = None,
        limit: Any = None,
        search: Any = None,
        sort: Any = None,
        samples: Any = None,
        osd: Any = None,
        **unknown: Any,
    ) -> Any:
        given = {name: value for name, value in _given(locals()).items() if name != "round_id"}
        return _counted(_answer("round_show", unknown, id=round_id, **given), "found")

    @EndpointDoc(
        "Start a round, or tell with dry_run what it would do",
        parameters={
            "profile": (str, "Name of a profile"),
            "osds": (str, "Which OSDs: all, 0,3,7-9, class=hdd, host=NAME, …", True),
            "repeats": (int, "How often each OSD is measured", True),
            "max_repeats": (int, "How often at most, until its figures are sure enough", True),
            "size": (str, "Bytes a bench writes, as 1G", True),
            "rest": (str, "How long OSDs rest, as 20m; of a sandwich, as both after it", True),
            "rests": (int, "How many rests", True),
            "solo": (str, "Which OSDs are measured alone", True),
            "pool": (str, "Pool that clients load; kind rados, as all up to workers", True),
            "clients": (int, "How many clients at once; of a search the most", True),
            "threads": (int, "Operations each keeps in flight; of a search the most", True),
            "seconds": (int, "How long clients run in each repeat", True),
            "foreign_pool": (bool, "Load a pool of somebody else's", True),
            "workers": (str, "Workers that run the clients: all, or names with commas", True),
            "label": (str, "A word to find the round by", True),
            "force": (bool, "Start although it is refused now", True),
            "dry_run": (bool, "Change nothing, answer with the plan", True),
        },
    )
    def create(  # noqa: PLR0913, PLR0917 - as many as a round has
        self,
        profile: Any = None,
        osds: Any = None,
        repeats: Any = None,
        max_repeats: Any = None,
        size: Any = None,
        rest: Any = None,
        rests: Any = None,
        solo: Any = None,
        pool: Any = None,
        clients: Any = None,
        threads: Any = None,
        seconds: Any = None,
        foreign_pool: Any = None,
        workers: Any = None,
        label: Any = None,
        force: Any = None,
        dry_run: Any = None,
        **unknown: Any,
    ) -> Any:
        if dry_run in (True, "true"):  # the module takes the word, too
            cherrypy.response.status = 200  # nothing is created
        return _answer("round_start", unknown, **_given(locals()))

    @RESTController.Collection("POST", path="/import", status=201)
    @EndpointDoc(
        "Take over what fio or elbencho measured; 'as' says which of the two",
        parameters={
            "results": (str, "The text of the JSON file that it wrote, at most 8 MiB"),
            "label": (str, "A word to find the round by", True),
        },
    )
    def take(self, results: Any = None, label: Any = None, **more: Any) -> Any:
        # "as" cannot be an argument's name
        return _answer("round_import", more, results=results, label=label)

    @RESTController.Collection("GET")
    @EndpointDoc(
        "Whether round b is better or worse than round a, with a page of the OSDs, worst first",
        parameters={
            "a": (int, "ID of the round before"),
            "b": (int, "ID of the round after"),
            "offset": _LIST["offset"],
            "limit": _LIST["limit"],
        },
    )
    def compare(
        self, a: Any = None, b: Any = None, offset: Any = None, limit: Any = None, **unknown: Any
    ) -> Any:
        return _counted(_answer("round_compare", unknown, **_given(locals())))

    @RESTController.Resource("GET")
    @EndpointDoc("How the figures of all OSDs and waves are distributed", parameters=_ID)
    def distribution(self, round_id: str, **unknown: Any) -> Any:
        return _answer("round_distribution", unknown, id=round_id)

    @RESTController.Resource("GET")
    @EndpointDoc(
        "A part of the file 'round export' prints; 'as' is json, csv, openmetrics or html",
        parameters={
            **_ID,
            "raw": (bool, "Its rows as they are stored instead, as JSON", True),
            "part": (int, "Which part, from 0 on; the answer says how many there are", True),
        },
    )
    def file(self, round_id: str, raw: Any = None, part: Any = None, **more: Any) -> Any:
        # "as" cannot be an argument's name
        return _answer("round_file", more, id=round_id, raw=raw, part=part)

    @RESTController.Resource("GET")
    @EndpointDoc(
        "What a running round has measured so far, and what clients feel of it", parameters=_ID
    )
    def live(self, round_id: str, **unknown: Any) -> Any:
        return _answer("round_live", unknown, id=round_id)

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc("End the running round", parameters=_ID)
    def abort(self, round_id: str, **unknown: Any) -> Any:
        return _answer("round_abort", unknown, id=round_id)

    @EndpointDoc("Delete an ended round and its samples", parameters=_ID)
    def delete(self, round_id: str, **unknown: Any) -> Any:
        return _answer("round_rm", unknown, id=round_id)


@APIRouter("/perf_bench/quiesce", Scope.OSD)
@APIDoc("Settings that rounds change while they run", "PerfBenchQuiesce")
class PerfBenchQuiesce(RESTController):
    """Quiesced settings."""

    _cp_config = _config()

    @EndpointDoc("What a round has changed in the cluster's settings, and until when")
    def list(self, **unknown: Any) -> Any:
        return _answer("quiesce_status", unknown)

    @RESTController.Collection("POST")
    @allow_empty_body
    @EndpointDoc("Put back what a round changed, where none runs any more")
    def restore(self, **unknown: Any) -> Any:
        return _answer("quiesce_restore", unknown)


@APIRouter("/perf_bench/baseline", Scope.OSD)
@APIDoc("Rounds that later ones are held against", "PerfBenchBaseline")
class PerfBenchBaseline(RESTController):
    """One baseline a profile."""

    _cp_config = _config()

    list = _list("baseline_ls", "A page of the baselines, by profile")

    @EndpointDoc(
        "Hold the later rounds of its profile against this one",
        parameters={
            "id": (int, "ID of a valid round"),
            "profile": (str, "Its profile, to be sure of which it is", True),
        },
    )
    def create(self, id: Any = None, profile: Any = None, **unknown: Any) -> Any:  # noqa: A002
        return _answer("baseline_set", unknown, id=id, profile=profile)


@APIRouter("/perf_bench/schedule", Scope.OSD)
@APIDoc("Rounds that start by themselves", "PerfBenchSchedule")
class PerfBenchSchedule(RESTController):
    """Schedules."""

    _cp_config = _config()
    RESOURCE_ID = "name"

    list = _list("schedule_ls", "A page of the schedules by name, with their next runs")

    @EndpointDoc(
        "Make a schedule",
        parameters={
            "name": (str, "Its name"),
            "profile": (str, "Name of a profile"),
            "every": (str, "How often, as 1d; this or cron", True),
            "cron": (str, "When, as 0 3 * * 6; this or every", True),
            "window": (str, "Hours within which it may start, as 01:00-05:00", True),
            "timezone": (str, "Time zone of window and cron", True),
            "osds": (str, "Which OSDs: all, 0,3,7-9, class=hdd, host=NAME, …", True),
            "missed": (str, "What becomes of missed runs: once or skip", True),
        },
    )
    def create(  # noqa: PLR0913, PLR0917 - as many as a schedule has
        self,
        name: Any = None,
        profile: Any = None,
        every: Any = None,
        cron: Any = None,
        window: Any = None,
        timezone: Any = None,
        osds: Any = None,
        missed: Any = None,
        **unknown: Any,
    ) -> Any:
        return _answer("schedule_add", unknown, **_given(locals()))

    @EndpointDoc("Remove a schedule", parameters={"name": (str, "Its name")})
    def delete(self, name: str, **unknown: Any) -> Any:
        return _answer("schedule_rm", unknown, name=name)

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc("Let it start nothing", parameters={"name": (str, "Its name")})
    def pause(self, name: str, **unknown: Any) -> Any:
        return _answer("schedule_pause", unknown, name=name)

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc("Let it go on", parameters={"name": (str, "Its name")})
    def resume(self, name: str, **unknown: Any) -> Any:
        return _answer("schedule_resume", unknown, name=name)


@APIRouter("/perf_bench/osd", Scope.OSD)
@APIDoc("OSDs and their benches", "PerfBenchOsd")
class PerfBenchOsd(RESTController):
    """OSDs with what was measured of them."""

    _cp_config = _config()
    RESOURCE_ID = "osd_id"

    list = _list(
        "osd_ls",
        "A page of OSDs with their newest bench; also by 'class'",
        host=(str, "Only OSDs of this host", True),
        osds=(str, "Only these OSDs, as a round takes them", True),
        profile=(str, "The newest bench of this profile", True),
    )

    @EndpointDoc("An OSD with its history", parameters={"osd_id": (int, "ID of the OSD")})
    def get(self, osd_id: str, **unknown: Any) -> Any:
        return _answer("osd_show", unknown, id=osd_id)

    @RESTController.Collection("GET")
    @EndpointDoc(
        "All OSDs at once with their newest bench, as rows of columns",
        parameters={"profile": (str, "The newest bench of this profile", True)},
    )
    def map(self, profile: Any = None, **unknown: Any) -> Any:
        return _answer("osd_map", unknown, profile=profile)

    @RESTController.Collection("GET")
    @EndpointDoc("All OSDs at once with their latencies and what they are held for, as rows")
    def latency(self, **unknown: Any) -> Any:
        return _answer("osd_latency", unknown)

    @RESTController.Resource("GET")
    @EndpointDoc(
        "An OSD's latencies over time, by channel",
        parameters={
            "osd_id": (int, "ID of the OSD"),
            "since": (str, "How far back, as 3h, 2d or 4w", True),
            "channel": (str, "Only this channel: commit, read, queue, …", True),
        },
    )
    def series(self, osd_id: str, since: Any = None, channel: Any = None, **unknown: Any) -> Any:
        return _answer("osd_series", unknown, id=osd_id, since=since, channel=channel)

    @RESTController.Resource("GET")
    @EndpointDoc(
        "Where an OSD's operations spend their time, and whom they wait for; it is asked now",
        parameters={"osd_id": (int, "ID of the OSD")},
    )
    def why(self, osd_id: str, **unknown: Any) -> Any:
        return _answer("osd_why", unknown, id=osd_id)


@APIRouter("/perf_bench/finding", Scope.OSD)
@APIDoc("What is wrong", "PerfBenchFinding")
class PerfBenchFinding(RESTController):
    """Findings: open, muted and closed."""

    _cp_config = _config()
    RESOURCE_ID = "finding_id"

    list = _list(
        "finding_ls",
        "A page of findings, worst first",
        everything=(bool, "Also those that are over", True),
    )

    kind = RESTController.Collection("GET")(
        _list(
            "finding_kinds",
            "A page of the kinds of findings: what each means, and what to do",
            "kind",
        )
    )

    @EndpointDoc("A finding", parameters={"finding_id": (int, "ID of the finding")})
    def get(self, finding_id: str, **unknown: Any) -> Any:
        return _answer("finding_show", unknown, id=finding_id)

    @RESTController.Resource("GET")
    @EndpointDoc(
        "A finding's OSDs against their peers, what it hurts, and what changed when it began",
        parameters={
            "finding_id": (int, "ID of the finding"),
            "since": (str, "How far back the OSDs are shown, 1h to 30d", True),
            "channel": (str, "The channel that is shown: commit, read, queue, …", True),
        },
    )
    def incident(
        self, finding_id: str, since: Any = None, channel: Any = None, **unknown: Any
    ) -> Any:
        return _answer("finding_incident", unknown, id=finding_id, since=since, channel=channel)

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc(
        "Leave a finding out of health for a time; 'for' says how long, as 1d",
        parameters={"finding_id": (int, "ID of the finding")},
    )
    def mute(self, finding_id: str, **more: Any) -> Any:  # "for" cannot be an argument's name
        return _answer("finding_mute", more, id=finding_id)

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc(
        "Note on a finding what is known or done about it, with the user's name; health keeps it",
        parameters={
            "finding_id": (int, "ID of the finding"),
            "text": (str, "The note, one line of at most 500 characters", True),
            "remove": (bool, "Remove the note instead", True),
        },
    )
    def ack(self, finding_id: str, text: Any = None, remove: Any = None, **unknown: Any) -> Any:
        if "by" in unknown:
            raise cherrypy.HTTPError(400, "'by' cannot be given: it is who is logged in")
        by = JwtManager.get_username()
        return _answer("finding_ack", unknown, id=finding_id, text=text, remove=remove, by=by)


@APIRouter("/perf_bench/host", Scope.OSD)
@APIDoc("Hosts and what they told of themselves", "PerfBenchHost")
class PerfBenchHost(RESTController):
    """Hosts with the age of their facts."""

    _cp_config = _config()

    RESOURCE_ID = "name"

    list = _list("host_ls", "A page of hosts by name, with how old their facts are")

    @EndpointDoc(
        "A host: what it tells of itself, its findings, and rounds that measured its OSDs",
        parameters={"name": (str, "Its name")},
    )
    def get(self, name: str, **unknown: Any) -> Any:
        return _answer("host_show", unknown, name=name)


@APIRouter("/perf_bench/cluster", Scope.OSD)
@APIDoc("The cluster over time", "PerfBenchCluster")
class PerfBenchCluster(BaseController):
    """The whole cluster over time."""

    _cp_config = _config()

    @Endpoint("GET")
    @ReadPermission
    @EndpointDoc(
        "Latencies of the cluster and its device classes over time, work of clients, and events",
        parameters={
            "since": (str, "How far back, 1h to 30d", True),
            "channel": (str, "Which latency: commit, read, queue, …", True),
        },
    )
    def latency(self, since: Any = None, channel: Any = None, **unknown: Any) -> Any:
        return _answer("cluster_latency", unknown, since=since, channel=channel)

    @Endpoint("GET")
    @ReadPermission
    @EndpointDoc("When which OSDs stood out in the last 24 h, in cells of 15 minutes")
    def strip(self, **unknown: Any) -> Any:
        return _answer("cluster_strip", unknown)

    @Endpoint("GET")
    @ReadPermission
    @EndpointDoc(
        "What was different in a time of up to a day, most different first",
        parameters={
            "begin": (int, "Its begin in unix seconds"),
            "end": (int, "Its end in unix seconds"),
        },
    )
    def interval(self, begin: Any = None, end: Any = None, **unknown: Any) -> Any:
        return _answer("cluster_interval", unknown, begin=begin, end=end)


@APIRouter("/perf_bench/worker", Scope.OSD)
@APIDoc("Hosts that wait to run clients of rounds", "PerfBenchWorker")
class PerfBenchWorker(RESTController):
    """Workers."""

    _cp_config = _config()

    list = _list("worker_ls", "A page of workers by name, with their state and clock")


@APIRouter("/perf_bench/enclosure", Scope.OSD)
@APIDoc("Enclosures and the OSDs in their slots", "PerfBenchEnclosure")
class PerfBenchEnclosure(RESTController):
    """Enclosures."""

    _cp_config = _config()
    RESOURCE_ID = "enclosure_id"

    list = _list("enclosure_ls", "A page of enclosures with their slots, by ID")

    @EndpointDoc(
        "An enclosure slot by slot",
        parameters={"enclosure_id": (str, "ID or serial number of the enclosure")},
    )
    def get(self, enclosure_id: str, **unknown: Any) -> Any:
        return _answer("enclosure_show", unknown, id=enclosure_id)


@APIRouter("/perf_bench/multipath", Scope.OSD)
@APIDoc("Disks of several paths", "PerfBenchMultipath")
class PerfBenchMultipath(RESTController):
    """Multipath devices below OSDs."""

    _cp_config = _config()

    list = _list("multipath_ls", "A page of disks of several paths, by host")


@APIRouter("/perf_bench/crc", Scope.OSD)
@APIDoc("Time spent on checksums, and errors of links and media", "PerfBenchCrc")
class PerfBenchCrc(RESTController):
    """Checksums."""

    _cp_config = _config()

    list = _list(
        "crc_ls", "A page of OSDs with their time on checksums, and all errors of links and media"
    )


@APIRouter("/perf_bench/option", Scope.OSD)
@APIDoc("The module's own options", "PerfBenchOption")
class PerfBenchOption(RESTController):
    """Options."""

    _cp_config = _config()
    RESOURCE_ID = "name"

    list = _list("option_ls", "A page of options with their values, defaults and bounds")
    threshold = RESTController.Collection("GET")(
        _list("option_thresholds", "A page of the detector's thresholds in effect", "threshold")
    )

    @RESTController.Resource("POST")
    @allow_empty_body
    @EndpointDoc(
        "Set an option, without a value to its default",
        parameters={
            "name": (str, "Its name, without mgr/perf_bench/"),
            "value": (str, "Its value, as in 'ceph config set'", True),
        },
    )
    def value(self, name: str, value: Any = None, **unknown: Any) -> Any:
        return _answer("option_set", unknown, name=name, value=value)


@APIRouter("/perf_bench/mclock", Scope.OSD)
@APIDoc("What mClock takes OSDs to be capable of", "PerfBenchMclock")
class PerfBenchMclock(RESTController):
    """Capacities of OSDs."""

    _cp_config = _config()

    list = _list("mclock_ls", "A page of OSDs with configured and measured IOPS")

    @RESTController.Collection("POST")
    @allow_empty_body
    @EndpointDoc(
        "Set the IOPS that are proposed, of at most 200 OSDs; what was is kept",
        parameters={"beyond": (bool, "Also those that are out of Ceph's range", True)},
    )
    def apply(self, beyond: Any = None, **unknown: Any) -> Any:
        return _answer("mclock_apply", unknown, beyond=beyond)

    @RESTController.Collection("POST")
    @allow_empty_body
    @EndpointDoc("Put back the IOPS that were before, of at most 200 OSDs")
    def restore(self, **unknown: Any) -> Any:
        return _answer("mclock_restore", unknown)
