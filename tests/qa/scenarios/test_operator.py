"""What an operator of the scenarios does when no mgr answers."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from cluster.resident import Reply
from scenarios import operator
from scenarios.operator import Away, Operator

if TYPE_CHECKING:
    from cluster.api import DevCluster

BUSY = Reply(errno.EAGAIN, "", "the database in the cluster gave no answer within 5 s")


def _operator(*replies: Reply) -> Operator:
    """Of a mgr that answers with these, one after the other; nothing is broken."""
    left = iter(replies)
    cluster = SimpleNamespace(
        spec=SimpleNamespace(daemons=()),
        types=lambda *_words: next(left),
        ceph_json=lambda *_words: {"active_gid": 1, "available": True},
    )
    return Operator(cast("DevCluster", cluster))


def test_what_only_reads_is_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(operator, "passed_over", said)
    assert _operator(BUSY, Reply(0, "[]", "")).asks("round", "ls") == []
    assert len(said) == 1


def test_what_changes_something_is_typed_once() -> None:
    """The database may have carried it out all the same."""
    with pytest.raises(Away):
        _operator(BUSY, Reply(0, "{}", "")).asks("schedule", "add", "nightly", "osd-iops")


def test_a_look_goes_on_with_the_next_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may look for what ends the wait."""
    monkeypatch.setattr(operator, "passed_over", [])
    person = _operator(BUSY, Reply(0, "[7]", ""))
    looks = []

    def look() -> Any:
        looks.append(1)
        return person.asks("round", "ls")

    assert person.sees("rounds", look) == [7]
    assert len(looks) == 2


def test_an_error_is_no_reason_to_ask_again() -> None:
    with pytest.raises(AssertionError, match="no round 7"):
        _operator(Reply(errno.ENOENT, "", "no round 7")).asks("round", "show", "7")
