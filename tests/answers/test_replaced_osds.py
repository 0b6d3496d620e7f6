"""What rounds measured of an OSD is not told of the next one with its ID, as after a new drive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

from asked import ask, json_of
from fakes.commands import first
from past import RATES, STEADY, Disks
from perf_bench.model.plan import Request

SLOW = 5


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[Disks]:
    made = Disks(tmp_path / "main.db")
    made.measures()
    made.clock.advance(60)
    yield made
    made.close()


def _bench(disks: Disks, osd: int) -> Optional[dict[str, Any]]:
    found, _ = json_of(disks.api, "osd ls")
    bench: Optional[dict[str, Any]] = found[osd]["last_bench"]
    return bench


def _replace(disks: Disks, osd: int = SLOW, **fields: Any) -> None:
    disks.cluster.change(osd, **{"created_at": disks.clock.now(), **fields})
    disks.clock.advance(60)


def test_lists_and_news_do_not_accuse_the_new_drive(disks: Disks) -> None:
    before = json_of(disks.api, "status")["slow_in_rounds"]
    assert [one["osd"] for one in before["worst"]] == [SLOW]
    assert _bench(disks, SLOW) is not None
    _replace(disks)
    assert json_of(disks.api, "status")["slow_in_rounds"] == {"osds": 0, "worst": []}
    assert _bench(disks, SLOW) is None
    assert _bench(disks, 4) is not None
    columns = json_of(disks.api, "osd map")["columns"]
    rows = {row[0]: dict(zip(columns, row)) for row in json_of(disks.api, "osd map")["rows"]}
    assert rows[SLOW]["bytes_per_second"] is None
    assert rows[4]["bytes_per_second"] is not None


def test_its_page_has_the_rounds_that_measured_it(disks: Disks) -> None:
    _replace(disks)
    shown = json_of(disks.api, "osd show", id=SLOW)
    assert shown["last_bench"] is None
    assert shown["history"] == []
    assert "No round has measured osd.5 yet." in shown["explain"]
    disks.measures()
    shown = json_of(disks.api, "osd show", id=SLOW)
    assert shown["last_bench"]["round"] == 2
    assert "In round 2" in shown["explain"]
    assert [one["round"] for one in shown["history"]] == [2]


@pytest.mark.parametrize("made", [None, 0.0])
def test_one_that_was_there_or_of_which_it_is_not_known_keeps_its_figures(
    disks: Disks, made: Optional[float]
) -> None:
    disks.cluster.change(SLOW, created_at=made, data_device="sdz")
    assert _bench(disks, SLOW) is not None
    assert json_of(disks.api, "status")["slow_in_rounds"]["osds"] == 1


def test_a_comparison_leaves_it_out(disks: Disks) -> None:
    _replace(disks)
    disks._run(
        Request("osd-throughput"),
        {
            osd: [disks._act(factor * (180.0 if osd == SLOW else rate)) for factor in STEADY]
            for osd, rate in enumerate(RATES)
        },
    )
    found = disks.api.comparisons.rounds(1, 2)
    assert found.osds == 5
    assert any("replaced: osd.5" in why for why in found.why)
    disks.measures()
    assert disks.api.comparisons.rounds(2, 3).osds == 6


def test_a_round_during_which_it_was_replaced_measured_both(disks: Disks) -> None:
    script = disks._script(STEADY)
    script[SLOW][1] = first(
        lambda: disks.cluster.change(SLOW, created_at=disks.clock.now()), script[SLOW][1]
    )
    disks._run(Request("osd-throughput"), script)
    assert _bench(disks, SLOW) is None
    assert _bench(disks, 4) is not None
    assert json_of(disks.api, "osd show", id=SLOW)["history"] == []
    disks.measures()
    assert _bench(disks, SLOW) is not None
    pairs = ((1, 2), (2, 3), (1, 3))
    both = [disks.api.comparisons.rounds(*pair).osds for pair in pairs]
    assert both == [5, 5, 5]


def test_no_capacity_is_proposed_that_another_drive_had(disks: Disks) -> None:
    for _ in range(3):
        disks._run(Request("osd-iops"), disks._script(STEADY, 0.01))
    assert SLOW in disks.doctor.snapshot().measured
    assert len(disks.doctor.snapshot().measured[SLOW].valid) == 3
    disks.clock.advance(60)
    _replace(disks)
    assert SLOW not in disks.doctor.snapshot().measured
    assert 4 in disks.doctor.snapshot().measured


def test_what_is_told_of_rounds_does_not_change_with_the_osds_they_measured(disks: Disks) -> None:
    disks._run(Request("osd-throughput", osds=f"osd.{SLOW}"), disks._script(STEADY))
    name = "ceph_perf_bench_round_end_timestamp_seconds"

    def ends() -> list[str]:
        return [line for line in ask(disks.api, "metrics").splitlines() if line.startswith(name)]

    before = ends()
    assert len(before) == 1
    disks.clock.advance(60)
    _replace(disks)
    assert ends() == before
    for osd in range(len(RATES)):
        _replace(disks, osd)
    assert ends() == before
