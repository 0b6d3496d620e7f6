"""What the questions answer beyond what commands print; test_cli holds those."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

import threads
from asked import ask, json_of
from fakes.cluster import FakeCluster
from nouns import a_result, a_round, an_osd, put_round
from past import Past, api_of
from perf_bench.answers import status
from perf_bench.answers.api import Api
from perf_bench.answers.shape import to_json
from perf_bench.answers.status import status_text
from perf_bench.core.reconcile import Pass
from perf_bench.errors import NotFound
from perf_bench.model.plan import MIB, Request
from perf_bench.model.round import RoundState, Verdict
from perf_bench.model.verdict import OsdSnapshot, OsdState, OsdVerdict
from perf_bench.watch.service import Watch
from stage import Stage


def _ids(page: tuple[Any, int], key: str = "id") -> list[int]:
    return [entry[key] for entry in to_json(page[0])]


# --- status ----------------------------------------------------------------------------------


def test_status_has_osds_that_a_round_measured_as_slow_and_no_finding_names(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {
        "osds": 1,
        "worst": [{"osd": 5, "round": 4, "percent_of_peers": pytest.approx(50.0, abs=0.5)}],
    }
    assert json_of(past.api, "status")["slow_in_rounds"] == slow
    with monkeypatch.context() as named:
        named.setattr(status, "named", lambda _api: {5})
        assert json_of(past.api, "status")["slow_in_rounds"] == {"osds": 0, "worst": []}
    past.clock.advance(6 * 86400)
    assert json_of(past.api, "status")["slow_in_rounds"] == slow
    past.clock.advance(86400 + 1)
    assert json_of(past.api, "status")["slow_in_rounds"]["osds"] == 0


def test_a_newer_round_of_the_profile_takes_back_that_an_osd_is_slow(
    stage: Stage, api: Api
) -> None:
    def measured(percent: float, z: float, profile: str = "osd-throughput") -> dict[str, Any]:
        row = a_result(1, percent_of_peers=percent, robust_z=z)
        draft = a_round(profile=profile, state=RoundState.DONE, key=f"{percent}")
        stage.stored(lambda store: store.save_round(put_round(store, draft, [row])))
        stage.bench.reread()
        stage.ended()
        shown: dict[str, Any] = json_of(api, "status")["slow_in_rounds"]
        return shown

    one = {"osd": 1, "round": 1, "percent_of_peers": 10.0}
    assert measured(10.0, -30.0) == {"osds": 1, "worst": [one]}
    assert measured(99.0, -0.1, "osd-iops") == {"osds": 1, "worst": [one]}
    assert measured(84.0, -30.0) == {"osds": 0, "worst": []}
    assert measured(49.0, -3.5)["worst"] == [{"osd": 1, "round": 4, "percent_of_peers": 49.0}]


def test_the_slowest_suspect_stands_first(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = {1: 1.5, 2: 4.0, 3: 2.0}
    verdicts = {osd: OsdVerdict(osd, OsdState.SUSPECT, 3.0, one) for osd, one in ratios.items()}
    monkeypatch.setattr(Watch, "osd_snapshot", lambda _: OsdSnapshot(verdicts))
    assert [one["osd"] for one in json_of(past.api, "status")["suspects"]["worst"]] == [2, 3, 1]


def test_status_names_the_osds_whose_bench_takes_long(stage: Stage, api: Api) -> None:
    def waits_for() -> Any:
        return json_of(api, "status")["active_round"]["waits_for"]

    stage.commands.script.update({osd: [stage.commands.hangs] for osd in range(6)})
    api.bench.start(Request("osd-throughput", repeats=1))
    threads.until(lambda: len(stage.commands.asked) == 3)
    first_three = sorted(stage.commands.asked)
    stage.clock.advance(30)
    assert waits_for() == []
    stage.clock.advance(2)
    assert sorted(waits_for()) == first_three
    active = stage.bench.active
    assert active is not None
    for osd in range(6):
        active.bench_began(osd, 1, 1, stage.clock.monotonic() - 40 - osd)
    assert waits_for() == [5, 4, 3, 2, 1, 0]
    text = " ".join(status_text(ask(api, "status")).split())
    assert "left; waits for osd.0, osd.1, " in text
    stage.commands.free()
    stage.ended()


def test_whoever_waits_for_a_round_does_not_keep_the_store_busy(stage: Stage, api: Api) -> None:
    stage.commands.script[0] = [stage.commands.hangs]
    api.bench.start(Request("osd-throughput"))
    threads.until(lambda: len(stage.commands.asked) == 3)
    stage.settle()
    assert json_of(api, "status")["store"]["rounds"] == 1
    asked = len(stage.faults.met)
    for _ in range(5):
        stage.clock.advance(0.5)
        assert json_of(api, "status")["store"]["rounds"] == 1
    assert len(stage.faults.met) == asked
    stage.clock.advance(60)
    json_of(api, "status")
    assert len(stage.faults.met) > asked


def test_an_outage_of_the_database_is_told_once_in_plain_words(api: Api) -> None:
    why = "no OSD is up, so the pool of the database cannot be made yet"
    now = ask(api, "status")
    since = 1_795_818_600.0
    failing = [
        Pass(name, None, None, since, problem)
        for name, problem in (("bench", why), ("doctor", "KeyError: 'osds'"))
    ]
    now = replace(
        now,
        store=replace(now.store, error=why),
        watch=replace(now.watch, problem=f"bench and store: {why}"),
        reconcilers=failing,
    )
    text = " ".join(status_text(now).split())
    assert text.count("no OSD is up") == 1
    assert "failing doctor since 2026-11-27 22:30:00 UTC (KeyError: 'osds')" in text


# --- rounds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "ids", "total"),
    [
        ({}, [5, 4, 3, 2, 1], 5),
        ({"limit": 2}, [5, 4], 5),
        ({"limit": 2, "offset": 4}, [1], 5),
        ({"offset": 9}, [], 5),
        ({"kind": "osd"}, [5, 4, 3, 2, 1], 5),
        ({"kind": "rados"}, [], 0),
        ({"state": "done"}, [5, 4, 2, 1], 4),
        ({"state": "done", "limit": 1, "offset": 1}, [4], 4),
        # what a table shows of each, whatever its case
        ({"search": "IOPS"}, [5, 2], 2),
        ({"search": "before"}, [1], 1),
        ({"search": "noisy"}, [2], 1),
        ({"search": "4"}, [4], 1),
        ({"search": "nothing"}, [], 0),
        ({"search": "%"}, [], 0),
        ({"search": "osd-", "state": "aborted"}, [3], 1),
        ({"search": "iops", "limit": 1}, [5], 2),
        ({"search": "iops", "limit": 1, "offset": 1}, [2], 2),
        ({"sort": "id"}, [1, 2, 3, 4, 5], 5),
        ({"sort": "-id", "limit": 2}, [5, 4], 5),
        ({"sort": "profile", "limit": 1}, [4], 5),
        ({"sort": "-took_seconds", "limit": 2}, [1, 4], 5),
        ({"sort": "verdict", "search": "osd-throughput"}, [3, 1], 2),
    ],
)
def test_lists_of_rounds(question: dict[str, Any], ids: list[int], total: int, past: Past) -> None:
    page = ask(past.api, "round ls", **question)
    assert (_ids(page), page[1]) == (ids, total)


def test_a_round_that_runs_is_shown_as_it_is_now(stage: Stage, api: Api) -> None:
    stage.commands.script[0] = [stage.commands.hangs]
    api.bench.start(Request("osd-throughput"))
    threads.until(lambda: 0 in stage.commands.asked)
    # the store's row is one step behind
    stage.stored(lambda store: store.save_round(replace(store.round(1), state=RoundState.QUEUED)))
    assert ask(api, "round ls")[0][0].state is RoundState.RUNNING
    shown = ask(api, "round show", id=1)[0]
    assert (shown.state, shown.verdict) == (RoundState.RUNNING, None)


def test_a_round_without_its_samples(past: Past) -> None:
    assert ask(past.api, "round show", id=1, samples=False)[0].samples == []
    assert ask(past.api, "round show", id=1)[0].samples


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_a_round_in_pages_is_the_whole_round(limit: Optional[int], past: Past) -> None:
    whole = json_of(past.api, "round show", id=1)[0]
    osds: list[int] = []
    samples: list[dict[str, Any]] = []
    while len(osds) < whole["osds"]:
        page = json_of(past.api, "round show", id=1, limit=limit, offset=len(osds))[0]
        osds += [row["osd"] for row in page["per_osd"]]
        samples += page["samples"]
    assert osds == [row["osd"] for row in whole["per_osd"]] == [5, 2, 4, 0, 3, 1]
    key = ("repeat", "target")
    assert sorted(samples, key=lambda s: [s[k] for k in key]) == sorted(
        whole["samples"], key=lambda s: [s[k] for k in key]
    )


# --- OSDs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "osds", "total"),
    [
        ({}, [0, 1, 2, 3, 4, 5], 6),
        ({"limit": 2, "offset": 3}, [3, 4], 6),
        ({"osds": "host=host-1"}, [1, 4], 2),
        ({"osds": "rack=rack-1&0-3"}, [1, 3], 2),
        ({"search": "osd.4"}, [4], 1),
        ({"search": "HOST-2"}, [2, 5], 2),
        ({"search": "acme"}, [0, 1, 2, 3, 4, 5], 6),
        ({"search": "sdb", "sort": "-osd"}, [5, 4, 3], 3),
        ({"sort": "last_bench.percent_of_peers", "limit": 1}, [5], 6),
        ({"sort": "-last_bench.bytes_per_second", "limit": 2}, [1, 3], 6),
        ({"sort": "host", "limit": 3}, [0, 3, 1], 6),
        ({"host": "host-1", "sort": "-osd"}, [4, 1], 2),
        ({"host": "host-1", "class": "hdd", "osds": "0-3"}, [1], 1),
    ],
)
def test_lists_of_osds(question: dict[str, Any], osds: list[int], total: int, past: Past) -> None:
    page = json_of(past.api, "osd ls", **question)
    assert (_ids(page, "osd"), page[1]) == (osds, total)


def test_without_a_figure_an_osd_stands_last(stage: Stage, api: Api) -> None:
    stage.bench.start(Request("osd-throughput", repeats=1, osds="2,4"))
    stage.ended()
    for sort in ("last_bench.iops", "-last_bench.iops"):
        osds = _ids(json_of(api, "osd ls", sort=sort), "osd")
        assert set(osds[:2]) == {2, 4}
        assert osds[2:] == [0, 1, 3, 5]


def test_the_newest_bench_of_any_profile_or_of_one(past: Past) -> None:
    (line,), _ = json_of(past.api, "osd ls", osds="0")
    assert (line["last_bench"]["profile"], line["last_bench"]["round"]) == ("osd-iops", 5)
    (line,), _ = json_of(past.api, "osd ls", osds="0", profile="osd-throughput")
    assert (line["last_bench"]["round"], line["last_bench"]["verdict"]) == (3, "aborted")


def test_the_history_of_an_osd_is_newest_first_and_has_what_failed(stage: Stage, api: Api) -> None:
    stage.bench.start(Request("osd-throughput", repeats=1))
    stage.ended()
    stage.cluster.set_down(1)
    stage.stored(
        lambda store: put_round(
            store, a_round(state=RoundState.FAILED, verdict=Verdict.FAILED), [a_result(1, None)]
        )
    )
    shown = json_of(api, "osd show", id=1)
    assert [(e["round"], e["bytes_per_second"]) for e in shown["history"]] == [
        (2, None),
        (1, 100 * MIB),
    ]
    # what was measured last, not what was tried last
    assert shown["last_bench"]["round"] == 1
    assert not shown["up"]


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (
            {"percent_of_peers": 84.4, "robust_z": -5.74, "cv_percent": 3.14},
            (
                "In round 1 (osd-throughput, valid) it reached 84 % of the median of its peers "
                "(z -5.7, its repeats 3.1 % apart)."
            ),
        ),
        (
            {"percent_of_peers": 101.0, "robust_z": 0.5, "cv_percent": None},
            (
                "In round 1 (osd-throughput, valid) it reached 101 % of the median of its peers "
                "(z 0.5)."
            ),
        ),
        (
            {"percent_of_peers": None, "robust_z": None},
            (
                "In round 1 (osd-throughput, valid) it had no peers of its device class and model "
                "to compare with."
            ),
        ),
        ({"median_bytes_per_second": None}, "No round has measured osd.1 yet."),
    ],
)
def test_the_newest_figure_in_a_sentence(
    named: dict[str, Any], sentence: str, stage: Stage, api: Api
) -> None:
    stage.stored(
        lambda store: put_round(store, a_round(state=RoundState.DONE), [a_result(1, **named)])
    )
    assert json_of(api, "osd show", id=1)["explain"] == f"osd.1 is not watched. {sentence}"


def test_the_map_has_a_row_for_each_osd(past: Past) -> None:
    found = json_of(past.api, "osd map", profile="osd-throughput")
    assert found["columns"] == [
        *("osd", "host", "rack", "class", "up"),
        *("bytes_per_second", "iops", "cv_percent", "percent_of_peers", "robust_z"),
        "round",
    ]
    assert len(found["rows"]) == 6
    row = found["rows"][5]
    assert row == [5, "host-2", "rack-1", "hdd", True, 94370000, 22.5, 0.9, 50, -34.7, 1]
    # whole numbers without a point: they are most of a large answer
    assert json.dumps(row[5]) == "94370000"
    # The newest of osd.0 was aborted.
    assert 3 not in {row[-1] for row in found["rows"]}
    with pytest.raises(NotFound):
        ask(past.api, "osd map", profile="nix")


def test_the_map_before_any_round(tmp_path: Path) -> None:
    osd = an_osd(0, location={"host": "host-0", "root": "default"}, device_class=None, up=False)
    stage = Stage(tmp_path / "main.db", FakeCluster([osd]))
    stage.wake()
    api = api_of(stage)
    assert json_of(api, "osd map")["rows"] == [[0, "host-0", None, None, False, *[None] * 6]]
    stage.close()
