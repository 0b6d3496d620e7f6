"""Rows that cannot be read, seen by an operator: everything else goes on."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asked import ask
from past import api_of
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api
from perf_bench.model.plan import Request, ScheduleRequest
from stage import Stage

WHOLE = Request("osd-throughput", osds="0,1")
HOURLY = ScheduleRequest("hourly", "osd-throughput", every="1h", osds="0,1")


@pytest.fixture
def next_mgr(path: Path, quick: None) -> Iterator[Stage]:
    """A mgr that takes over a database of three rounds and two schedules, some of them damaged."""
    before = Stage(path)
    before.wake()
    for _ in range(3):
        before.bench.start(WHOLE)
        before.ended()
    before.round_scheduler.add(HOURLY)
    for name in ("bad", "wild"):
        before.round_scheduler.add(ScheduleRequest(name, "osd-throughput", every="1h"))
    before.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE rounds SET summary = '{\"os' WHERE id = 2")
        db.execute("UPDATE schedules SET schedule = '{' WHERE name = 'bad'")
        db.execute(
            "UPDATE schedules SET schedule = json_set(schedule, '$.every', 0) WHERE name = 'wild'"
        )
    db.close()
    made = Stage(path)
    made.wake()
    yield made
    made.close()


@pytest.fixture
def next_api(next_mgr: Stage) -> Api:
    return api_of(next_mgr)


def _ask(api: Api, prefix: str, **args: Any) -> tuple[int, str, str]:
    return cli.dispatch(api, {"prefix": f"perf-bench {prefix}", **args})


def test_the_next_mgr_wakes_and_starts_rounds(next_mgr: Stage) -> None:
    assert next_mgr.bench.ready
    assert next_mgr.bench.start(WHOLE).id == 4
    next_mgr.ended()
    assert next_mgr.round(4).state.ended


@pytest.mark.parametrize("command", ["round show", "round export", "baseline set"])
def test_it_is_said_what_to_do_about_it(next_api: Api, command: str) -> None:
    code, _, said = _ask(next_api, command, id="2")
    assert code == -errno.EIO
    assert "round 2 cannot be read (summary is no JSON" in said
    assert "'ceph perf-bench round rm 2' removes it" in said


def test_it_is_given_out_and_removed(next_api: Api) -> None:
    code, out, _ = _ask(next_api, "round export", id="2", raw=True)
    assert code == 0
    assert json.loads(out)["rounds"][0]["summary"] == '{"os'
    assert _ask(next_api, "round rm", id="2")[0] == 0
    assert [one.id for one in ask(next_api, "round ls")[0]] == [3, 1]
    assert _ask(next_api, "round export", id="2", raw=True)[0] == -errno.ENOENT


def test_raw_has_no_format(next_api: Api) -> None:
    code, _, said = _ask(next_api, "round export", id="1", raw=True, **{"as": "csv"})
    assert (code, said) == (-errno.EINVAL, "give either --as or --raw")


def test_a_schedule_that_cannot_be_computed_says_why(next_api: Api) -> None:
    shown = {one.name: one.problem for one in ask(next_api, "schedule ls")}
    assert list(shown) == ["hourly", "wild"]
    assert shown["hourly"] is None
    assert "its times cannot be computed" in str(shown["wild"])


def test_a_schedule_that_cannot_be_read_is_told_with_the_rows_and_can_be_removed(
    next_api: Api,
) -> None:
    assert [one.name for one in ask(next_api, "schedule ls")] == ["hourly", "wild"]
    _, out, _ = _ask(next_api, "store status", format="json")
    told = [one["what"] for one in json.loads(out)["set_aside"]]
    assert any("bad" in one for one in told), told
    assert _ask(next_api, "schedule pause", name="bad")[0] == -errno.ENOENT
    for name in ("bad", "wild"):
        assert _ask(next_api, "schedule rm", name=name)[0] == 0
    assert [one.name for one in ask(next_api, "schedule ls")] == ["hourly"]
    assert _ask(next_api, "schedule add", name="bad", profile="osd-iops", every="1d")[0] == 0
