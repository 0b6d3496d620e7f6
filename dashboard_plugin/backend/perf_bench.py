# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""The REST API of perf_bench in the dashboard: thin, all it knows is asked of the module.

Its routes are made from the module's table of questions (``_perf_bench_routes``).

The dashboard itself asks for the permission of the scope osd that a method has (GET read, POST
create, DELETE delete); the module gets the user's permissions with each question, and asks for the
others, too.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any, Callable

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
from ._perf_bench_routes import ARGUMENTS, ROUTES

# Seconds after which to ask again when the module or its database does not answer.
_RETRY_AFTER = "5"
# Scopes that questions need permissions of.
_SCOPES = (Scope.OSD, Scope.POOL, Scope.CONFIG_OPT)
_PERMISSIONS = Permission.all_permissions()
_TYPES = {"int": int, "str": str, "bool": bool}
_Route = Mapping[str, Any]
# By the first word of the path, the title of its controller and what it is about; the other paths
# are of the first one.
_GROUPS = {
    "": ("PerfBench", "Bench rounds and the slow parts of the cluster"),
    "round": ("PerfBenchRound", "Bench rounds"),
    "quiesce": ("PerfBenchQuiesce", "Settings that rounds change while they run"),
    "baseline": ("PerfBenchBaseline", "Rounds that later ones are held against"),
    "schedule": ("PerfBenchSchedule", "Rounds that start by themselves"),
    "osd": ("PerfBenchOsd", "OSDs and their benches"),
    "finding": ("PerfBenchFinding", "What is wrong"),
    "host": ("PerfBenchHost", "Hosts and what they told of themselves"),
    "cluster": ("PerfBenchCluster", "The cluster over time"),
    "worker": ("PerfBenchWorker", "Hosts that wait to run clients of rounds"),
    "enclosure": ("PerfBenchEnclosure", "Enclosures and the OSDs in their slots"),
    "multipath": ("PerfBenchMultipath", "Disks of several paths"),
    "crc": ("PerfBenchCrc", "Time spent on checksums, and errors of links and media"),
    "option": ("PerfBenchOption", "The module's own options"),
    "mclock": ("PerfBenchMclock", "What mClock takes OSDs to be capable of"),
}
# The methods of the dashboard's own REST controllers.
_OWN = {
    ("GET", ""): "list",
    ("POST", ""): "create",
    ("GET", "ID"): "get",
    ("DELETE", "ID"): "delete",
}


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


# --- from the table to controllers -----------------------------------------------------------


def _method(route: _Route, name: str, id_: str) -> Callable[..., Any]:
    """The method of a route, called ``name``; ``id_`` is the argument of the ID in its path.

    The dashboard's documentation, and what the method may be called with, come from its signature.
    """
    own = {_argument_of(name, id_): _argument(route, name) for name in route["arguments"]}
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parameters = [
        inspect.Parameter(key, kind, default=empty if key == id_ else one["default"])
        for key, one in sorted(own.items(), key=lambda pair: pair[0] != id_)
    ]
    more = inspect.Parameter("unknown", inspect.Parameter.VAR_KEYWORD)
    signature = inspect.Signature([inspect.Parameter("self", kind), *parameters, more])

    def method(*args: Any, **given: Any) -> Any:
        bound = signature.bind(*args, **given)
        bound.apply_defaults()
        unknown = bound.arguments["unknown"]
        arguments = {one["name"]: bound.arguments[key] for key, one in own.items()}
        for session in route["session"]:
            if session in unknown:
                raise cherrypy.HTTPError(
                    400, f"'{session}' cannot be given: it is who is logged in"
                )
            arguments[session] = JwtManager.get_username()
        if route["created"] and arguments.get("dry_run") in (True, "true"):
            cherrypy.response.status = 200  # nothing is created
        return _answer(route["question"], unknown, **arguments)

    method.__name__ = method.__qualname__ = name
    method.__signature__ = signature  # type: ignore[attr-defined]
    told = {
        key: (_TYPES[one["type"]], one["doc"], *(() if one["needed"] else (True, one["default"])))
        for key, one in own.items()
    }
    documented: Callable[..., Any] = EndpointDoc(route["doc"], parameters=told)(method)
    return documented


def _argument_of(name: str, id_: str) -> str:
    """The name of an argument in the method: the ID of the path is called after its controller."""
    return id_ if id_ and name in (id_, "id") else name


def _argument(route: _Route, name: str) -> _Route:
    type_, doc = ARGUMENTS.get(f"{route['question']} {name}") or ARGUMENTS[name]
    default = route["rows"] if name == "limit" else None
    needed = name in route["needed"]
    return {"name": name, "type": type_, "doc": doc, "needed": needed, "default": default}


def _placed(route: _Route, group: str) -> tuple[str, Callable[..., Any]]:
    """Name and method of a route, marked with where it stands in its controller."""
    verb, path = route["method"], route["path"]
    below = path[len(group) :].strip("/").replace("NAME", "ID")
    id_ = _id_of(route, group) if _has_id(route) else ""
    name = _OWN.get((verb, below)) or below.rpartition("/")[2]
    if not group:
        name = path.replace("/", "_")
        return name, Endpoint(verb, f"/{path}")(ReadPermission(_method(route, name, id_)))
    if (verb, below) in _OWN:
        return name, _method(route, name, id_)
    if name == "import":  # a word of Python
        name = "take"
    method = _method(route, name, id_)
    if verb == "POST" and not route["created"]:
        method = allow_empty_body(method)
    if below.startswith("ID/"):
        return name, RESTController.Resource(verb)(method)
    status = {"status": 201} if route["created"] else {}
    return name, RESTController.Collection(verb, path=f"/{below}", **status)(method)


def _has_id(route: _Route) -> bool:
    return bool({"ID", "NAME"} & {*route["path"].split("/")})


def _id_of(route: _Route, group: str) -> str:
    return "name" if "NAME" in route["path"] else f"{group}_id"


def _controllers() -> Iterator[type]:
    for group, (title, doc) in _GROUPS.items():
        routes = [one for one in ROUTES if _group(one) == group]
        members = {"_cp_config": _config(), "__module__": __name__, "__doc__": f"{doc}."}
        with_id = [_id_of(one, group) for one in routes if _has_id(one)]
        members.update({"RESOURCE_ID": with_id[0]} if with_id else {})
        members.update(_placed(one, group) for one in routes)
        made = type(title, (RESTController if group else BaseController,), members)
        path = f"/perf_bench/{group}".rstrip("/")
        yield APIRouter(path, Scope.OSD)(APIDoc(doc, title)(made))


def _group(route: _Route) -> str:
    first: str = route["path"].split("/")[0]
    return first if first in _GROUPS else ""


# The dashboard looks for its controllers among the names of this file.
globals().update({one.__name__: one for one in _controllers()})
