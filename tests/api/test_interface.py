"""What the public contract promises: the keys of a command are those of its row."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from asked import asks, types
from past import Past
from perf_bench.answers import dashboard
from perf_bench.answers.api import Api
from perf_bench.model.plan import ScheduleRequest
from roles import ADMINISTRATOR
from stage import Stage

SCHEDULE = {"name", "profile", "every", "cron", "window", "next", "last_round", "last_result"}


@pytest.mark.parametrize("given", ["xml", "xml-pretty", "1d", "JSON", 5, ["json"]])
@pytest.mark.parametrize("words", ["status", "metrics", "round rm"])
def test_a_format_that_is_none_is_refused_and_changes_nothing(
    words: str, given: object, past: Past
) -> None:
    arguments = {"id": "5"} if words == "round rm" else {}
    code, out, err = types(past.api, words, format=given, **arguments)
    assert (code, out) == (-errno.EINVAL, "")
    assert err == f"--format {given}: one of plain, json, json-pretty, yaml is needed"
    assert len(asks(past.api, "round ls")) == 5


@pytest.mark.parametrize("verb", ["pause", "resume", "rm"])
def test_a_schedule_that_is_changed_tells_its_last_result(
    verb: str, stage: Stage, api: Api
) -> None:
    api.round_scheduler.add(ScheduleRequest("hourly", "osd-throughput", every="1h", osds="0,1"))
    stage.clock.advance(3610)
    stage.schedule()
    stage.ended()
    (listed,) = asks(api, "schedule ls")
    assert (listed["last_round"], listed["last_result"]) == (1, "valid")
    shown = asks(api, f"schedule {verb}", name="hourly")
    assert shown.keys() >= SCHEDULE
    assert (shown["last_round"], shown["last_result"]) == (1, "valid")
    assert (shown["next"] is None) is (verb != "resume")


def _refused(past: Past, question: str, **arguments: Any) -> tuple[int, str]:
    error = dashboard.answer(past.api, question, arguments, ADMINISTRATOR)["error"]
    return error["errno"], error["field"]


def test_a_kind_that_is_none_is_refused_beside_comparable_too(past: Past) -> None:
    assert _refused(past, "round_ls", kind="bogus") == (errno.EINVAL, "kind")
    assert _refused(past, "round_ls", kind="bogus", comparable=1) == (errno.EINVAL, "kind")


@pytest.mark.parametrize("name", ["class", "host"])
def test_the_refusal_names_the_field_that_was_given(name: str, past: Past) -> None:
    assert _refused(past, "osd_ls", **{name: "a&"}) == (errno.EINVAL, name)


@pytest.mark.parametrize("sign", ["+", "-"])
def test_advice_is_sorted_by_what_it_is_about(sign: str, past: Past) -> None:
    reply = dashboard.answer(past.api, "doctor", {"sort": f"{sign}target"}, ADMINISTRATOR)
    assert "answer" in reply
