"""The REST API as the dashboard loads it: every question's route, arguments and rights."""

from __future__ import annotations

import importlib.util
import inspect
import keyword
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, NamedTuple

import pytest

from perf_bench.answers.question import Argument, ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS

ASKED = {question.rest: question for question in QUESTIONS if question.rest}
_TYPES = {
    ArgumentKind.NUMBER: int,
    ArgumentKind.FLAG: bool,
    **dict.fromkeys((ArgumentKind.ROUND_ID, ArgumentKind.OSD_ID), int),
}
_TYPES[ArgumentKind.FINDING_ID] = int
_METHODS = {"list": ("GET", ""), "create": ("POST", ""), "get": ("GET", "ID")}
_METHODS["delete"] = ("DELETE", "ID")
_PERMISSIONS = {"GET": "read", "POST": "create", "PUT": "update", "DELETE": "delete"}


def _marks(**values: Any) -> Callable[[Any], Any]:
    """A decorator that only notes what it was given."""

    def decorator(decorated: Any) -> Any:
        for name, value in values.items():
            setattr(decorated, name, value)
        return decorated

    return decorator


class _RESTController:
    @staticmethod
    def Resource(method: str) -> Callable[[Any], Any]:  # noqa: N802
        return lambda func: _marks(route=(method, f"ID/{func.__name__}"))(func)

    @staticmethod
    def Collection(method: str, path: str = "", status: int = 200) -> Callable[[Any], Any]:  # noqa: N802
        return lambda func: _marks(route=(method, path.strip("/") or func.__name__))(func)


def _endpoint(method: str, path: str = "") -> Callable[[Any], Any]:
    return lambda func: _marks(route=(method, path.strip("/") or func.__name__))(func)


def _told(_text: str, parameters: Mapping[str, Any] = {}) -> Callable[[Any], Any]:
    return _marks(parameters=parameters)


CONTROLLERS = {
    "APIDoc": lambda *_: _marks(),
    "APIRouter": lambda path, scope: _marks(path=path, scope=scope),
    "BaseController": type("BaseController", (), {}),
    "Endpoint": _endpoint,
    "EndpointDoc": _told,
    "ReadPermission": _marks(permission="read"),
    "RESTController": _RESTController,
    "allow_empty_body": _marks(),
}


class Route(NamedTuple):
    """One method of a controller; ``asked`` and ``given`` are what it asks the module."""

    rest: str
    method: Any
    right: tuple[str, str]
    asked: str
    given: Mapping[str, Any]


@pytest.fixture(scope="module")
def routes(root: Path) -> Iterator[dict[str, Route]]:
    asked: list[tuple[str, dict[str, Any]]] = []

    def remote(*words: Any) -> dict[str, Any]:
        asked.append(words[2:])
        return {"answer": {}, "total": 0}

    cherrypy = ModuleType("cherrypy")
    cherrypy.response = SimpleNamespace(headers={}, status=200)  # type: ignore[attr-defined]
    modules = {
        "cherrypy": cherrypy,
        "board": ModuleType("board"),
        "board.security": ModuleType("board.security"),
        "board.services": ModuleType("board.services"),
        "board.services.auth": ModuleType("board.services.auth"),
        "board.controllers": ModuleType("board.controllers"),
    }
    modules["board"].mgr = SimpleNamespace(remote=remote)  # type: ignore[attr-defined]
    vars(modules["board.security"]).update(
        Scope=SimpleNamespace(OSD="osd", POOL="pool", CONFIG_OPT="config-opt"),
        Permission=SimpleNamespace(all_permissions=_PERMISSIONS.values),
    )
    vars(modules["board.services.auth"]).update(
        AuthManager=SimpleNamespace(authorize=lambda *_: True),
        JwtManager=SimpleNamespace(get_username=lambda: "somebody"),
    )
    for name, value in CONTROLLERS.items():
        setattr(modules["board.controllers"], name, value)
    modules["board.controllers"].__path__ = [str(root / "dashboard_plugin/backend")]
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        backend = importlib.import_module("board.controllers.perf_bench")
        found = {}
        for controller in vars(backend).values():
            for name, method in _methods(controller):
                taken = inspect.signature(method).parameters
                names = [one for one in taken if one not in ("self", "unknown", "more")]
                asked.clear()
                method(controller(), **dict.fromkeys(names, "x"))
                rest = _rest(controller, name, method)
                assert rest not in found
                right = (controller.scope, _permission(controller, rest, method))
                found[rest] = Route(rest, method, right, *asked[0][:2])
        yield found
    for name in [name for name in sys.modules if name.startswith("board.")]:
        del sys.modules[name]


def _methods(controller: Any) -> Iterator[tuple[str, Any]]:
    if inspect.isclass(controller) and hasattr(controller, "path"):
        for name, method in vars(controller).items():
            if inspect.isfunction(method):
                assert method.__name__ == name  # the dashboard goes by this one
                yield name, method


def _permission(controller: Any, rest: str, method: Any) -> str:
    """What the dashboard asks for: as marked, else by the method of its own REST controllers."""
    own = _PERMISSIONS[rest.split(maxsplit=1)[0]] if issubclass(controller, _RESTController) else ""
    return str(getattr(method, "permission", own))


def _rest(controller: Any, name: str, method: Any) -> str:
    """The route as the schema writes it."""
    verb, below = getattr(method, "route", None) or _METHODS[name]
    path = "/".join(filter(None, (controller.path[len("/perf_bench") :].strip("/"), below)))
    if getattr(controller, "RESOURCE_ID", "") == "name":
        path = path.replace("ID", "NAME")
    return f"{verb} {path}"


def test_every_route_is_of_a_question_and_every_question_has_its_route(
    routes: dict[str, Route],
) -> None:
    assert {route.rest: route.asked for route in routes.values()} == {
        rest: question.rest_name for rest, question in ASKED.items()
    }


def _rest_arguments(question: Question) -> dict[str, Argument]:
    """By name those that can be the arguments of a method of Python."""
    return {
        one.public_name: one
        for one in question.arguments
        if one.rest is not Use.ABSENT and not keyword.iskeyword(one.public_name)
    }


def test_a_route_takes_its_questions_arguments(routes: dict[str, Route]) -> None:
    for rest, question in ASKED.items():
        assert routes[rest].given.keys() == _rest_arguments(question).keys()


def test_a_route_documents_its_arguments(routes: dict[str, Route]) -> None:
    for rest, question in ASKED.items():
        route = routes[rest]
        arguments = {
            name: one
            for name, one in _rest_arguments(question).items()
            if one.rest is not Use.SESSION
        }
        documented = {
            "id" if name.endswith("_id") else name: told
            for name, told in route.method.parameters.items()
        }
        assert {name: one[0] for name, one in documented.items()} == {
            name: _TYPES.get(one.kind, str) for name, one in arguments.items()
        }
        optional = {name for name, one in documented.items() if len(one) > 2 and one[2]}
        assert optional == {name for name, one in arguments.items() if one.rest is Use.OPTIONAL}


def test_a_route_asks_for_the_questions_rights(routes: dict[str, Route]) -> None:
    for rest, question in ASKED.items():
        assert routes[rest].right == question.rights[0].right


def test_a_list_has_a_page_by_itself_and_takes_what_it_does_not_know(
    routes: dict[str, Route],
) -> None:
    taken = inspect.signature(routes["GET osd"].method).parameters
    assert (taken["limit"].default, taken["offset"].default) == (25, None)
    assert taken["unknown"].kind is inspect.Parameter.VAR_KEYWORD
