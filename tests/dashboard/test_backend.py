"""The REST API over a fake web server: what is asked, by whom, and what comes back."""

from __future__ import annotations

import errno
import importlib.util
import json
import keyword
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable

import pytest

from perf_bench.answers.dashboard import failure
from perf_bench.answers.question import ArgumentKind, Use, check
from perf_bench.answers.questions import QUESTIONS
from perf_bench.errors import Forbidden, StoreUnavailable
from roles import ADMINISTRATOR, ROLES, Role

# By method and address, as the table of questions has it: the question.
ROUTES = {question.rest: question for question in QUESTIONS if question.rest}
# What makes something answers with 201.
MAKES = ("POST round", "POST round/import", "POST baseline", "POST schedule")
# What the backend adds by itself, which cannot be given.
ADDED = {"POST finding/ID/ack": {"by": "somebody"}}
TYPES = {
    ArgumentKind.NUMBER: int,
    ArgumentKind.FLAG: bool,
    ArgumentKind.ROUND_ID: int,
    ArgumentKind.OSD_ID: int,
    ArgumentKind.FINDING_ID: int,
}
# As the dashboard's RESTController has them: method, whether the address ends in an ID, status.
REST = {
    "list": ("GET", False, 200),
    "get": ("GET", True, 200),
    "create": ("POST", False, 201),
    "delete": ("DELETE", True, 204),
}
PERMISSIONS = ("create", "delete", "read", "update")
BY_METHOD = {"GET": "read", "POST": "create", "PUT": "update", "DELETE": "delete"}


@dataclass
class Route:
    """One method of a controller, as the dashboard would offer it."""

    call: Callable[..., Any]
    status: int
    scope: str
    right: str
    config: dict[str, Any]
    documented: Mapping[str, Sequence[Any]]


class HTTPError(Exception):
    pass


@dataclass
class Dashboard:
    """The names that the plugin imports of the dashboard, and the module behind `mgr.remote`."""

    reply: Any = None
    role: Role = field(default_factory=lambda: ADMINISTRATOR)
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    controllers: list[type] = field(default_factory=list)
    response: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(status=None, headers={})
    )
    request: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(params={}, headers={}))

    def remote(self, *words: Any) -> Any:
        self.asked.append(words)
        return self.reply

    def authorize(self, user: str, scope: str, permissions: list[str]) -> bool:
        assert user == "somebody"
        return set(permissions) <= set(self.role.get(scope, ()))

    def modules(self) -> dict[str, ModuleType]:
        def router(path: str, scope: str) -> Callable[[type], type]:
            def keep(controller: Any) -> type:
                controller.path, controller.scope = path, scope
                self.controllers.append(controller)
                return controller  # type: ignore[no-any-return]

            return keep

        def at(**marks: Any) -> Callable[[Any], Any]:
            def mark(call: Any) -> Any:
                vars(call).update(marks)
                return call

            return mark

        class RESTController:
            @staticmethod
            def Collection(method: str, path: str = "", status: int = 200) -> Any:  # noqa: N802
                return at(method=method, tail=path, status=status, of_one=False)

            @staticmethod
            def Resource(method: str) -> Any:  # noqa: N802
                return at(method=method, tail="", status=200, of_one=True)

        names: dict[str, dict[str, Any]] = {
            "cherrypy": {
                "request": self.request, "response": self.response, "HTTPError": HTTPError,
            },
            "fake_dashboard": {"mgr": SimpleNamespace(remote=self.remote)},
            "fake_dashboard.security": {
                "Permission": SimpleNamespace(all_permissions=lambda: list(PERMISSIONS)),
                "Scope": SimpleNamespace(OSD="osd", POOL="pool", CONFIG_OPT="config-opt"),
            },
            "fake_dashboard.services": {},
            "fake_dashboard.services.auth": {
                "AuthManager": SimpleNamespace(authorize=self.authorize),
                "JwtManager": SimpleNamespace(get_username=lambda: "somebody"),
            },
            "fake_dashboard.controllers": {
                "APIDoc": lambda *_: lambda one: one,
                "APIRouter": router,
                "BaseController": type("BaseController", (), {}),
                "Endpoint": lambda method, path="": at(
                    method=method, tail=path, status=200, of_one=False
                ),
                "EndpointDoc": lambda _, parameters={}: at(documented=parameters),
                "ReadPermission": at(right="read"),
                "RESTController": RESTController,
                "allow_empty_body": lambda one: one,
            },
        }  # fmt: skip
        made = {}
        for name, values in names.items():
            made[name] = ModuleType(name)
            vars(made[name]).update({**values, "__path__": []})
        return made

    def routes(self) -> dict[str, Route]:
        found = {}
        for controller in self.controllers:
            path, name_of_id = controller.path, getattr(controller, "RESOURCE_ID", "")  # type: ignore[attr-defined]
            is_rest = controller.__mro__[1].__name__ == "RESTController"
            for name, call in vars(controller).items():
                if name.startswith("_") or not callable(call):
                    continue
                assert call.__name__ == name  # the dashboard goes by this one
                marks = vars(call)
                method, of_one, status = REST.get(name, ("", False, 200)) if is_rest else ("",) * 3
                method = marks.get("method", method)
                of_one, status = marks.get("of_one", of_one), marks.get("status", status)
                tail = marks.get("tail") or ("" if is_rest and name in REST else f"/{name}")
                one = "NAME" if name_of_id == "name" else "ID"
                place = f"{path}/{one}{tail}" if of_one else f"{path}{tail}"
                # The dashboard's own controllers for REST ask by the method, the others by a mark.
                own = BY_METHOD[method] if is_rest else "none"
                found[f"{method} {place.removeprefix('/perf_bench/')}"] = Route(
                    getattr(controller(), name),
                    status,
                    controller.scope,  # type: ignore[attr-defined]
                    marks.get("right", own),
                    controller._cp_config,  # type: ignore[attr-defined]
                    marks["documented"],
                )
        return found


@pytest.fixture
def dashboard(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> Dashboard:
    made = Dashboard()
    for name, module in made.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("_perf_bench_ask", "_perf_bench_routes", "perf_bench"):
        full = f"fake_dashboard.controllers.{name}"
        spec = importlib.util.spec_from_file_location(full, plugin / "backend" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, full, module)
        spec.loader.exec_module(module)
    return made


def called(dashboard: Dashboard, route: str, **arguments: Any) -> Any:
    """What the method of a route answers, where an ID is asked for with 7."""
    words = ["7"] if "ID" in route or "NAME" in route else []
    return dashboard.routes()[route].call(*words, **arguments)


def test_every_question_has_its_address_and_there_is_no_other(dashboard: Dashboard) -> None:
    assert set(dashboard.routes()) == set(ROUTES)


def test_each_documents_its_arguments(dashboard: Dashboard) -> None:
    for route, question in ROUTES.items():
        arguments = {
            one.public_name: one
            for one in question.arguments
            if one.rest in (Use.NEEDED, Use.OPTIONAL) and not keyword.iskeyword(one.public_name)
        }
        documented = {
            "id" if name.endswith("_id") else name: told
            for name, told in dashboard.routes()[route].documented.items()
        }
        assert {name: told[0] for name, told in documented.items()} == {
            name: TYPES.get(one.kind, str) for name, one in arguments.items()
        }
        optional = {name for name, told in documented.items() if len(told) > 2 and told[2]}
        assert optional == {name for name, one in arguments.items() if one.rest is Use.OPTIONAL}


def test_each_asks_one_question_that_there_is(dashboard: Dashboard) -> None:
    for route, question in ROUTES.items():
        dashboard.asked.clear()
        dashboard.reply = {"answer": {}}
        assert called(dashboard, route) == {}
        ((target, method, asked, given, rights),) = dashboard.asked
        assert (target, method, asked) == ("perf_bench", "answer", question.rest_name)
        assert rights == {scope: list(PERMISSIONS) for scope in ("osd", "pool", "config-opt")}
        assert given.pop("limit", 25) == 25
        of_one = {key.lower(): "7" for key in ("ID", "NAME") if key in route}
        assert given == {**of_one, **ADDED.get(route, {})}
        status = 201 if route in MAKES else 204 if route.startswith("DELETE") else 200
        assert dashboard.routes()[route].status == status


def test_the_dashboard_itself_asks_for_the_first_right(dashboard: Dashboard) -> None:
    for route, question in ROUTES.items():
        found = dashboard.routes()[route]
        assert (found.scope, found.right) == question.rights[0].right


@pytest.mark.parametrize("role", ROLES)
def test_the_module_gets_what_the_user_may_do(dashboard: Dashboard, role: str) -> None:
    dashboard.reply, dashboard.role = {"answer": {}}, ROLES[role]
    called(dashboard, "POST mclock/apply")
    ((*_, rights),) = dashboard.asked
    assert rights == {
        scope: sorted(ROLES[role].get(scope, ())) for scope in ("osd", "pool", "config-opt")
    }


def test_the_dashboards_own_refusal_says_what_is_missing(dashboard: Dashboard) -> None:
    for route, question in ROUTES.items():
        found = dashboard.routes()[route]
        refused = found.config["error_page.403"]
        method = SimpleNamespace(
            __self__=SimpleNamespace(_security_scope=found.scope),
            _security_permissions=[found.right],
        )
        dashboard.request.handler = SimpleNamespace(callable=method)
        dashboard.role = {}
        body = json.loads(
            refused(status="403 Forbidden", message="You don't have", traceback="", version="")
        )
        # the same words as the module's
        with pytest.raises(Forbidden) as caught:
            check({}, question.rights[:1])
        assert body == {
            "detail": str(caught.value),
            "code": "EPERM",
            "component": "perf_bench",
            "reasons": [],
        }
        assert dashboard.response.headers["Content-Type"] == "application/json"


def test_what_is_given_is_passed_on(dashboard: Dashboard) -> None:
    for route, question in ROUTES.items():
        dashboard.asked.clear()
        dashboard.reply = {"answer": {}}
        given = {
            one.public_name: "x"
            for one in question.arguments
            if one.rest not in (Use.ABSENT, Use.SESSION)
        }
        given.pop("id", None)
        if "NAME" in route:
            del given["name"]
        called(dashboard, route, **given, unheard_of="y")
        ((*_, passed, _),) = dashboard.asked
        assert passed.items() >= {**given, "unheard_of": "y"}.items()


@pytest.mark.parametrize("route", [route for route in ROUTES if "ID" in route])
def test_an_id_is_not_said_twice(dashboard: Dashboard, route: str) -> None:
    with pytest.raises(HTTPError, match="'id' is in the path already"):
        called(dashboard, route, id="8")
    assert dashboard.asked == []


@pytest.mark.parametrize("route", ADDED)
def test_nobody_says_who_he_is(route: str, dashboard: Dashboard) -> None:
    with pytest.raises(HTTPError, match="'by' cannot be given: it is who is logged in"):
        called(dashboard, route, text="seen", by="else")
    assert dashboard.asked == []


def test_an_error_has_its_status_and_its_body(dashboard: Dashboard) -> None:
    error = {"message": "a round runs", "field": "", "reasons": [], "away": False}
    dashboard.reply = {"error": {**error, "errno": errno.EBUSY}}
    assert called(dashboard, "POST round")["detail"] == "a round runs"
    assert dashboard.response.status == 409
    assert dashboard.response.headers == {}


def test_a_good_answer_keeps_the_status_of_its_method(dashboard: Dashboard) -> None:
    dashboard.reply = {"answer": {"id": 7}}
    called(dashboard, "POST round", profile="osd-iops")
    assert dashboard.response.status is None
    for dry_run in (True, "true"):
        dashboard.response.status = None
        called(dashboard, "POST round", profile="osd-iops", dry_run=dry_run)
        assert dashboard.response.status == 200


def test_lists_tell_how_many_there_are(dashboard: Dashboard) -> None:
    dashboard.reply = {"answer": [], "total": 70}
    called(dashboard, "GET osd")
    assert dashboard.response.headers == {"X-Total-Count": "70"}


def test_a_busy_database_tells_when_to_ask_again(dashboard: Dashboard) -> None:
    dashboard.reply = failure(StoreUnavailable("busy"))
    called(dashboard, "GET osd")
    assert dashboard.response.status == 503
    assert dashboard.response.headers == {"Retry-After": "5"}


@pytest.mark.parametrize("body", [[], "x", 7, None])
def test_a_body_that_is_no_object_is_refused(dashboard: Dashboard, body: Any) -> None:
    for route in dashboard.routes().values():
        look = route.config["hooks.before_handler.perf_bench"]
        dashboard.request.json = body
        with pytest.raises(HTTPError, match="must be a JSON object"):
            look()
        dashboard.request.json = {}
        look()


def test_an_argument_self_is_refused(dashboard: Dashboard) -> None:
    for route in dashboard.routes().values():
        look = route.config["hooks.before_handler.perf_bench"]
        for body, params in (({"self": 1}, {}), ({}, {"self": "1"})):
            dashboard.request.json, dashboard.request.params = body, params
            with pytest.raises(HTTPError, match="no argument 'self'"):
                look()


def test_what_the_path_says_is_not_taken_from_the_body(dashboard: Dashboard) -> None:
    look = dashboard.routes()["POST round/ID/abort"].config["hooks.before_handler.perf_bench"]
    dashboard.request.json, dashboard.request.params = {"round_id": 8}, {"round_id": "7"}
    with pytest.raises(HTTPError, match="'round_id' is in the address and in the body"):
        look()
    dashboard.request.json = {"other": 8}
    look()


def test_a_body_of_several_parts_is_refused(dashboard: Dashboard) -> None:
    for route in dashboard.routes().values():
        look = route.config["hooks.before_request_body.perf_bench"]
        for kind in ("multipart/form-data", "Multipart/mixed; boundary=x"):
            dashboard.request.headers = {"Content-Type": kind}
            with pytest.raises(HTTPError, match="must be a JSON object"):
                look()
        for headers in ({}, {"Content-Type": "application/json"}):
            dashboard.request.headers = headers
            look()


def test_no_error_shows_a_traceback(dashboard: Dashboard) -> None:
    for route in dashboard.routes().values():
        assert route.config["request.show_tracebacks"] is False
