"""What the module answers becomes HTTP, once."""

from __future__ import annotations

import errno
from types import ModuleType
from typing import Any

import pytest

RIGHTS = {"osd": ["read"]}


def _reply(code: int, **more: Any) -> dict[str, Any]:
    error = {"errno": code, "message": "a sentence", "field": "", "reasons": [], "away": False}
    return {"error": {**error, **more}}


@pytest.mark.parametrize(
    ("code", "status", "name"),
    [
        (errno.EINVAL, 400, "EINVAL"),
        (errno.EPERM, 403, "EPERM"),
        (errno.ENOENT, 404, "ENOENT"),
        (errno.EBUSY, 409, "EBUSY"),
        (errno.EAGAIN, 409, "EAGAIN"),
        (errno.EOPNOTSUPP, 501, errno.errorcode[errno.EOPNOTSUPP]),
        (errno.ETIMEDOUT, 504, "ETIMEDOUT"),
        (errno.EIO, 500, "EIO"),
        # one that no table knows
        (99999, 500, "99999"),
    ],
)
def test_errnos_and_statuses(asking: ModuleType, code: int, status: int, name: str) -> None:
    outcome = asking.ask(lambda *_: _reply(code), "status", {}, RIGHTS)
    assert outcome.status == status
    assert outcome.body == {
        "detail": "a sentence",
        "code": name,
        "component": "perf_bench",
        "reasons": [],
    }


def test_the_field_and_the_reasons_go_along(asking: ModuleType) -> None:
    reply = _reply(errno.EINVAL, field="limit", reasons=["one", "two"])
    body = asking.ask(lambda *_: reply, "round_ls", {}, RIGHTS).body
    assert (body["field"], body["reasons"]) == ("limit", ["one", "two"])


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        # what mgr.remote raises for a module that is off, and for all else
        (ImportError("Module not found"), "ceph mgr module enable perf_bench"),
        (NameError("Method not found"), "gave no answer"),
        (RuntimeError("Remote method threw exception: Traceback …"), "gave no answer"),
    ],
)
def test_a_module_that_is_not_there(asking: ModuleType, raised: Exception, words: str) -> None:
    def remote(*_: Any) -> Any:
        raise raised

    outcome = asking.ask(remote, "status", {}, RIGHTS)
    assert outcome.status == 503
    assert words in outcome.body["detail"]
    assert "Traceback" not in outcome.body["detail"]


def test_a_database_that_is_away_is_no_conflict(asking: ModuleType) -> None:
    outcome = asking.ask(lambda *_: _reply(errno.EAGAIN, away=True), "round_ls", {}, RIGHTS)
    assert (outcome.status, outcome.body["code"]) == (503, "EAGAIN")
    assert outcome.body["detail"] == "a sentence"


def test_an_answer_and_its_total(asking: ModuleType) -> None:
    assert asking.ask(lambda *_: {"answer": {"a": 1}}, "status", {}, RIGHTS) == (
        200,
        {"a": 1},
        None,
    )
    assert asking.ask(lambda *_: {"answer": [], "total": 7}, "osd_ls", {}, RIGHTS) == (200, [], 7)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"limit": 25, "search": None}, {"limit": 25}),
        # a plus sign in an address is a blank when it arrives
        ({"sort": " osd"}, {"sort": "osd"}),
        ({"sort": "-osd"}, {"sort": "-osd"}),
        ({"sort": 5}, {"sort": 5}),
    ],
)
def test_what_is_asked(asking: ModuleType, given: dict[str, Any], asked: dict[str, Any]) -> None:
    seen = []

    def remote(
        question: str, arguments: dict[str, Any], rights: dict[str, list[str]]
    ) -> dict[str, Any]:
        assert rights is RIGHTS
        seen.append((question, arguments))
        return {"answer": None}

    asking.ask(remote, "osd_ls", given, RIGHTS)
    assert seen == [("osd_ls", asked)]


@pytest.mark.parametrize(
    ("permissions", "sentence"),
    [
        (["create"], "your roles lack the permission create of the scope osd"),
        (
            ["create", "update"],
            "your roles lack the permissions create of the scope osd and update of the scope osd",
        ),
    ],
)
def test_what_is_missing_is_named(
    asking: ModuleType, permissions: list[str], sentence: str
) -> None:
    status, body, _ = asking.forbidden("osd", permissions)
    assert (status, body["code"], body["detail"]) == (403, "EPERM", sentence)
