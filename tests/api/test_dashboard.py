"""Questions from the dashboard: what may be asked, with what, and what an error looks like."""

from __future__ import annotations

import errno
import gzip
import json
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes.cluster import FakeCluster
from nouns import a_plan, a_result, a_round, an_osd, put_round, some_osds
from past import api_of
from perf_bench.answers import dashboard
from perf_bench.answers.questions import QUESTIONS
from perf_bench.errors import Busy, NotFound, NotNow, PerfBenchError, StoreUnavailable
from perf_bench.model.finding import CLIENT_READ, CLIENT_WRITE, COMMIT
from perf_bench.model.osd import Osd
from perf_bench.model.plan import PROFILES
from perf_bench.model.round import RoundState
from perf_bench.model.verdict import OsdSnapshot, OsdState, OsdVerdict
from perf_bench.watch.service import Watch
from roles import ADMINISTRATOR
from stage import Stage


class House(Stage):
    """A stage over a cluster of a test's making, and what the dashboard asks of it."""

    def __init__(self, path: Path, osds: Sequence[Osd]) -> None:
        super().__init__(path, FakeCluster(osds))
        self.api = api_of(self)

    def holds(self, number: int, *, label: str = "", results: Any = (), **named: Any) -> None:
        """Put an ended round into the store."""
        osds = [result.osd for result in results] or [0]
        draft = a_round(a_plan([osds]), key=str(number), label=label)
        stored = self.store_thread.call(lambda store: put_round(store, draft, list(results)))
        ended = a_round(
            a_plan([osds]),
            RoundState.DONE,
            key=str(number),
            **{"id": stored.id, "label": label, **named},
        )
        self.store_thread.call(lambda store: store.end_round(ended, list(results)))

    def asks(self, question: str, /, **arguments: Any) -> Any:
        """The reply, as it is on the other side of the pickling."""
        reply = dashboard.answer(self.api, question, arguments, ADMINISTRATOR)
        return pickle.loads(pickle.dumps(reply))  # noqa: S301


@pytest.fixture
def house(path: Path, quick: None) -> Iterator[House]:
    made = House(path, some_osds(6))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "arguments", "code", "field"),
    [
        ("nonsense", {}, errno.ENOENT, ""),
        ("status", {"x": 1}, errno.EINVAL, "x"),
        ("round_ls", {"limit": "1.5"}, errno.EINVAL, "limit"),
        ("round_ls", {"search": ["a"]}, errno.EINVAL, "search"),
        ("round_show", {}, errno.EINVAL, "id"),
        ("round_show", {"id": "7"}, errno.ENOENT, ""),
        ("round_show", {"id": "x"}, errno.ENOENT, ""),
        ("round_show", {"id": {}}, errno.EINVAL, "id"),
        ("round_rm", {"id": 10**15}, errno.ENOENT, ""),
        ("round_compare", {}, errno.EINVAL, "a"),
        ("round_compare", {"a": "1"}, errno.EINVAL, "b"),
        ("round_compare", {"a": "1", "b": "2"}, errno.ENOENT, ""),
        ("profile_history", {}, errno.EINVAL, "profile"),
        ("baseline_set", {}, errno.EINVAL, "id"),
        ("baseline_set", {"id": "9"}, errno.ENOENT, ""),
        ("osd_show", {"id": "9"}, errno.ENOENT, ""),
        ("osd_ls", {"osds": "~"}, errno.EINVAL, "osds"),
        ("round_import", {"results": "{}"}, errno.EINVAL, "as"),
        ("round_import", {"as": "fio"}, errno.EINVAL, "results"),
        ("round_import", {"as": "fio", "results": ["a"]}, errno.EINVAL, "results"),
        ("round_import", {"as": "fio", "results": '{"jobs": []}'}, errno.EINVAL, "timestamp"),
        ("round_import", {"as": "iozone", "results": "{}"}, errno.EINVAL, "as"),
        ("round_import", {"as": "fio", "file": "{}"}, errno.EINVAL, "file"),
        ("round_start", {}, errno.EINVAL, "profile"),
        ("round_start", {"profile": ""}, errno.EINVAL, "profile"),
        ("round_start", {"profile": "osd-iops", "force": 1}, errno.EINVAL, "force"),
        ("round_start", {"profile": "osd-iops", "size": 1.5}, errno.EINVAL, "size"),
        # the module has not read its database yet: nothing may be started
        ("round_start", {"profile": "osd-iops"}, errno.EAGAIN, ""),
    ],
)
def test_refusals(
    house: House, question: str, arguments: dict[str, Any], code: int, field: str
) -> None:
    error = house.asks(question, **arguments)["error"]
    assert (error["errno"], error["field"]) == (code, field)
    assert error["message"]
    assert error["reasons"] == []


@pytest.mark.parametrize("named", ["x" * 5000, "\x1b[31m"])
def test_what_is_quoted_is_shortened_or_masked(named: str) -> None:
    error = dashboard.failure(NotFound(f"no pool {named}"))["error"]
    assert len(error["message"]) < 3000
    assert error["message"].isprintable()


def test_reasons_go_along(house: House) -> None:
    house.wake()
    house.cluster.nearfull = {1, 2}
    error = house.asks("round_start", profile="osd-throughput")["error"]
    assert error["errno"] == errno.EAGAIN
    assert len(error["reasons"]) == 1
    assert "osd.1 and osd.2" in error["reasons"][0]


@pytest.mark.parametrize(
    ("error", "away"),
    [(StoreUnavailable("no answer"), True), (NotNow("not now"), False), (Busy("busy"), False)],
)
def test_only_a_database_that_does_not_answer_is_away(error: PerfBenchError, away: bool) -> None:
    assert dashboard.failure(error)["error"]["away"] is away


def test_a_crash_is_an_error_as_any_other() -> None:
    error = dashboard.crash()["error"]
    assert (error["errno"], error["away"]) == (errno.EIO, False)
    assert "the log of the active mgr" in error["message"]


def test_a_dry_run_is_a_plan(house: House) -> None:
    plan = house.asks("round_start", profile="osd-throughput", dry_run="true", osds="0-2")
    assert plan["answer"]["targets"] == ["osd.0", "osd.1", "osd.2"]
    assert house.asks("round_ls")["total"] == 0


@pytest.mark.parametrize("name", ["dry_run", "force"])
def test_a_flag_that_is_empty_is_neither_true_nor_false(house: House, name: str) -> None:
    house.wake()
    error = house.asks("round_start", profile="osd-throughput", **{name: ""})["error"]
    assert (error["errno"], error["field"]) == (errno.EINVAL, name)
    assert house.asks("round_ls")["total"] == 0


def test_what_a_form_left_empty_is_not_given(house: House) -> None:
    assert house.asks("osd_ls", host="", search="", limit=None)["total"] == 6


def test_rounds_without_a_value_stand_last_whichever_way_they_are_sorted(house: House) -> None:
    house.holds(1, ended_at=None)
    house.holds(2)
    for sort in ("ended_at", "-ended_at"):
        assert [r["id"] for r in house.asks("round_ls", sort=sort)["answer"]] == [2, 1]


def test_more_rounds_than_one_reading_takes(house: House) -> None:
    for number in range(1, 121):
        house.holds(number, label="even" if number % 2 == 0 else "odd")
    reply = house.asks("round_ls", search="even", sort="id", limit=3, offset=57)
    assert reply["total"] == 60
    assert [row["id"] for row in reply["answer"]] == [116, 118, 120]


LISTS = [one.rest_name for one in QUESTIONS if one.rest and (one.listed or one.rows == "osds")]


@pytest.mark.parametrize("question", LISTS)
def test_every_list_has_pages(house: House, question: str) -> None:
    whole = house.asks(question, limit=500, offset=0, search="", sort="")
    assert isinstance(whole["total"], int)
    assert house.asks(question, search="no such thing anywhere")["total"] == 0
    for name, value in (
        ("limit", 0),
        ("limit", 501),
        ("offset", 1 << 31),
        ("sort", "nix"),
        ("sort", "-"),
        ("sort", "--osd"),
    ):
        error = house.asks(question, **{name: value})["error"]
        assert (error["errno"], error["field"]) == (errno.EINVAL, name), (name, value)


def test_a_list_that_the_cli_prints_whole_is_paged_searched_and_sorted(house: House) -> None:
    def names(**wish: Any) -> tuple[list[str], int]:
        reply = house.asks("profile_ls", **wish)
        return [row["name"] for row in reply["answer"]], reply["total"]

    every = list(PROFILES)
    assert names() == (every, len(every))
    assert names(limit=2, offset=1) == (every[1:3], len(every))
    assert names(sort="-name")[0] == sorted(every, reverse=True)
    assert names(search="OSD-SAND") == (["osd-sandwich"], 1)


def test_rounds_are_compared_and_one_is_the_baseline(house: House) -> None:
    for number in (1, 2):
        house.holds(number, results=[a_result(osd) for osd in range(4)])
    answer = house.asks("round_compare", a="1", b="2")["answer"]
    assert (answer["a"], answer["b"], answer["verdict"]) == (1, 2, "not-comparable")
    assert house.asks("baseline_set", id="2", profile="")["answer"]["round"] == 2
    assert [one["round"] for one in house.asks("baseline_ls")["answer"]] == [2]
    assert house.asks("profile_history", profile="osd-throughput")["answer"]["baseline"] == 2
    assert house.asks("reference_ls")["answer"][0]["source"]


def test_a_round_with_one_of_its_osds(house: House) -> None:
    house.holds(1, results=[a_result(osd) for osd in range(4)])
    reply = house.asks("round_show", id="1", osd="2")
    answer = reply["answer"]
    assert reply["total"] == answer["found"] == 1
    assert ([row["osd"] for row in answer["per_osd"]], answer["osds"]) == ([2], 1)
    assert answer.keys() == house.asks("round_show", id="1")["answer"].keys()
    assert house.asks("round_show", id=1, osd=9)["answer"]["per_osd"] == []
    assert house.asks("round_show", id=2, osd=1)["error"]["errno"] == errno.ENOENT


def test_the_map_of_10000_osds_is_below_200_kib_compressed(path: Path) -> None:
    dice = random.Random(7)  # noqa: S311
    osds = [an_osd(number, f"storage-node-{number // 36:04}") for number in range(10_000)]
    large = House(path, osds)
    results = [
        a_result(
            osd,
            dice.gauss(180e6, 30e6),
            median_iops=dice.gauss(43, 8),
            cv_percent=dice.expovariate(0.3),
            percent_of_peers=dice.gauss(100, 12),
            robust_z=dice.gauss(0, 1.5),
        )
        for osd in range(10_000)
    ]
    large.holds(1, results=results)
    large.wake()
    body = json.dumps(large.asks("osd_map")["answer"]).encode()
    large.close()
    assert len(json.loads(body)["rows"]) == 10_000
    # measured: 177 KiB
    packed = len(gzip.compress(body, 5))  # the level of the dashboard's web server
    assert packed < 200 * 1024, packed


def test_the_latencies_of_10000_osds_are_below_200_kib_compressed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every OSD with figures of its own, one in ten with a risk; as bad as it gets."""
    dice = random.Random(8)  # noqa: S311
    everybody = range(10_000)
    osd_snapshot = OsdSnapshot(
        {
            osd: OsdVerdict(
                osd,
                dice.choice([OsdState.OK] * 20 + [OsdState.SUSPECT, OsdState.SLOW]),
                dice.gauss(0, 1.5),
                dice.lognormvariate(0, 0.3),
                dice.expovariate(0.2) if osd % 10 == 0 else 0.0,
            )
            for osd in everybody
        },
        {
            channel: {osd: dice.lognormvariate(-4, 1) for osd in everybody}
            for channel in (COMMIT, CLIENT_READ, CLIENT_WRITE)
        },
    )
    monkeypatch.setattr(Watch, "osd_snapshot", lambda _: osd_snapshot)
    osds = [an_osd(number, f"storage-node-{number // 36:04}") for number in everybody]
    large = House(path, osds)
    answer = large.asks("osd_latency")["answer"]
    large.close()
    assert len(answer["rows"]) == 10_000
    assert all(len(row) == len(answer["columns"]) for row in answer["rows"])
    # measured: 120 KiB
    packed = len(gzip.compress(json.dumps(answer).encode(), 5))
    assert packed < 200 * 1024, packed
