"""What an operator of the scenarios does when no mgr answers."""

from __future__ import annotations

import errno
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from cluster.resident import Reply
from scenarios.operator import Away, Operator

if TYPE_CHECKING:
    from cluster.api import DevCluster

BUSY = Reply(errno.EAGAIN, "", "the database in the cluster gave no answer within 5 s")


def _operator(*replies: Reply) -> Operator:
    """Of a mgr that answers with these, one after the other."""
    left = iter(replies)
    cluster = SimpleNamespace(types=lambda *_words: next(left))
    return Operator(cast("DevCluster", cluster))


def test_what_only_reads_is_typed_again() -> None:
    assert _operator(BUSY, Reply(0, "[]", "")).asks("round", "ls") == []


def test_what_changes_something_is_typed_once() -> None:
    """The database may have carried it out all the same."""
    with pytest.raises(Away):
        _operator(BUSY, Reply(0, "{}", "")).asks("schedule", "add", "nightly", "osd-iops")


REFUSED = Reply(errno.EAGAIN, "", "refused now: 1 PG is peering: clients wait for them")
NO_CAPACITY = Reply(errno.EOPNOTSUPP, "", "no OSD goes by a capacity")
NOT_ENABLED = Reply(errno.EOPNOTSUPP, "", "Error ENOTSUP: Module 'perf_bench' is not enabled")
LOST = Reply(errno.EAGAIN, "", "worker b is lost: it does not answer")
TOO_NEW = Reply(
    errno.EAGAIN,
    "",
    "perf_bench has not read its database: the database has schema 9, this version knows 8: it was "
    "written by a newer perf_bench",
)
RUNS = Reply(errno.EBUSY, "", "a round runs: wait for its end before a backup of the database")
GONE = Reply(errno.ENOENT, "", "no round 7")


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cluster.waiting.time.sleep", lambda _seconds: None)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("refusal", [REFUSED, NO_CAPACITY, LOST, TOO_NEW, GONE])
def test_a_refusal_is_what_a_mgr_says_that_has_read_its_database(refusal: Reply) -> None:
    assert _operator(BUSY, NOT_ENABLED, refusal).refused("round", "show", "7") == refusal


@pytest.mark.usefixtures("quiet")
def test_what_was_carried_out_without_an_answer_is_done() -> None:
    words = ("round", "rm", "7")
    assert _operator(BUSY, RUNS, GONE).carries_out(*words, done=errno.ENOENT) is None
    assert _operator(RUNS, Reply(0, "{}", "")).carries_out(*words, done=errno.ENOENT) == {}
    with pytest.raises(AssertionError, match="no round 7"):
        _operator(GONE).carries_out(*words, done=errno.ENOENT)
    with pytest.raises(AssertionError, match="no round 7"):
        _operator(BUSY, GONE).carries_out(*words)
    with pytest.raises(AssertionError, match="no round 7"):
        _operator(RUNS, GONE).carries_out(*words, done=errno.ENOENT)


@pytest.mark.usefixtures("quiet")
def test_a_round_that_is_carried_on_is_aborted_too() -> None:
    def status(ready: bool, runs: bool) -> Reply:
        shown = {"active_round": {"id": 7} if runs else None, "store": {"ready": ready}}
        return Reply(0, json.dumps(shown), "")

    aborted = Reply(0, "", "")
    person = _operator(status(False, False), status(True, True), aborted, status(True, False))
    person.sees_no_round()
