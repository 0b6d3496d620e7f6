"""Who may do what from the dashboard: every question with every role, Ceph's and one's own."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import golden
from asked import ask
from documentation import rights as rights_docs
from endpoints import ENDPOINTS, Endpoint, lacking
from past import Past
from perf_bench.answers import dashboard
from perf_bench.answers.questions import QUESTIONS
from perf_bench.errors import NotNow
from perf_bench.model.plan import ScheduleRequest
from roles import READ_ONLY, ROLES, Role

# The errno of an answer that is not 200; the dashboard's back end makes the status of it.
STATUSES = {errno.EINVAL: 400, errno.EPERM: 403, errno.ENOENT: 404, errno.EOPNOTSUPP: 501}
BY_REST = {question.rest: question for question in QUESTIONS if question.rest}


def route(endpoint: Endpoint) -> str:
    """Its method and address, as the table of questions writes them."""
    of = {endpoint.arguments.get(name): name.upper() for name in ("id", "name")}
    words = endpoint.path.partition("?")[0].strip("/").split("/")
    return f"{endpoint.method} {'/'.join(of.get(word, word) for word in words)}"


def told(sentence: str) -> list[str]:
    """The rights that a refusal names."""
    return re.findall(r"\w+ of the scope [\w-]+", sentence)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_what_its_rights_say(past: Past, role: str) -> None:
    for endpoint in ENDPOINTS:
        reply = dashboard.answer(past.api, endpoint.question, endpoint.arguments, ROLES[role])
        missing = lacking(ROLES[role], endpoint.needs)
        if not missing:
            status = STATUSES[reply["error"]["errno"]] if "error" in reply else 200
            assert status in endpoint.statuses, (endpoint.name, reply)
            continue
        assert reply["error"]["errno"] == errno.EPERM, (endpoint.name, reply)
        named = told(reply["error"]["message"])
        assert named, endpoint.name
        assert set(named) <= set(missing), endpoint.name
        assert named[0] == missing[0], endpoint.name


def test_every_question_of_the_dashboard_is_among_them() -> None:
    assert {route(endpoint): endpoint.question for endpoint in ENDPOINTS} == {
        rest: question.rest_name for rest, question in BY_REST.items()
    }
    # each condition of a right is met by one of them
    for question in BY_REST.values():
        asked = {
            need
            for endpoint in ENDPOINTS
            for need in endpoint.needs
            if endpoint.question == question.rest_name
        }
        needed = {need.right for need in question.rights}
        assert asked == needed or question.name == "schedule resume", question.name


def test_each_role_is_refused_something_or_is_the_administrator() -> None:
    for name, role in ROLES.items():
        refused = [one.name for one in ENDPOINTS if lacking(role, one.needs)]
        assert bool(refused) is (name != "administrator"), name


def test_the_refusal_says_what_is_missing_and_what_for(past: Past) -> None:
    def refusal(question: str, rights: Role, **arguments: Any) -> str:
        reply = dashboard.answer(past.api, question, arguments, rights)
        return str(reply["error"]["message"])

    assert refusal("round_rm", READ_ONLY, id="1") == (
        "your roles lack the permission delete of the scope osd"
    )
    assert refusal("mclock_apply", READ_ONLY) == (
        "your roles lack the permissions create of the scope osd and update of the scope "
        "config-opt: it changes Ceph's configuration"
    )
    assert refusal("round_start", ROLES["starter"], profile="rados-rand") == (
        "your roles lack the permission create of the scope pool: rounds of kind rados and of "
        "osd-sandwich use the pool perf_bench, which is made if it does not exist"
    )


def test_who_lacks_a_right_is_told_nothing_of_the_arguments(past: Past) -> None:
    reply = dashboard.answer(past.api, "round_rm", {"id": "x", "colour": "red"}, READ_ONLY)
    assert reply["error"]["errno"] == errno.EPERM
    assert reply["error"]["field"] == ""


def test_a_schedule_that_loads_a_pool_is_resumed_by_who_may_load_it(past: Past) -> None:
    past.api.round_scheduler.add(ScheduleRequest("loads", "rados-write", every="1d"))
    ask(past.api, "schedule pause", name="loads")
    asked = {"name": "loads"}
    refused = dashboard.answer(past.api, "schedule_resume", asked, ROLES["starter"])
    assert told(refused["error"]["message"]) == ["create of the scope pool"]
    assert ask(past.api, "schedule ls")[0].paused
    assert "answer" in dashboard.answer(past.api, "schedule_resume", asked, ROLES["loader"])
    ask(past.api, "schedule rm", name="loads")


@pytest.mark.parametrize(("role", "may"), [("starter", False), ("loader", True)])
def test_only_who_may_change_the_configuration_raises_the_limits_of_osd_bench(
    role: str, may: bool
) -> None:
    asked: list[bool] = []
    api: Any = Mock()

    def started(request: Any) -> Any:
        asked.append(request.may_raise)
        raise NotNow("it is seen")

    api.bench.start.side_effect = api.round_scheduler.add.side_effect = started
    for question, arguments in (
        ("round_start", {"profile": "osd-iops"}),
        ("schedule_add", {"name": "nightly", "profile": "osd-iops", "every": "1d"}),
    ):
        dashboard.answer(api, question, arguments, ROLES[role])
    assert asked == [may, may]


@pytest.mark.parametrize(
    "rights", [{}, {"osd": []}, {"osd": ["update", "execute"]}, {"OSD": ["read"]}]
)
def test_other_rights_are_none(past: Past, rights: Role) -> None:
    assert dashboard.answer(past.api, "status", {}, rights)["error"]["errno"] == errno.EPERM


def test_the_documentation_has_the_rights(root: Path) -> None:
    path = root / "docs" / "rights.md"
    text = path.read_text(encoding="utf-8")
    wanted = rights_docs.rewritten(text)
    if golden.writing():
        path.write_text(wanted, encoding="utf-8")
        text = wanted
    assert text == wanted, "write it with WRITE_GOLDEN"
