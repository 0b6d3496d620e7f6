"""Undo the reweight of an OSD that is out: Ceph gives it the reduced weight when it is in again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_bench.model.admission import REWEIGHT, setting
from stage import Stage

WEIGHT = setting(3, REWEIGHT)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.settings.values[WEIGHT] = "1.0"
    yield made
    made.close()


def test_the_way_back_is_kept_while_the_osd_is_out(stage: Stage) -> None:
    stage.relief.relieve(3, REWEIGHT, 0.5)
    # Marked out: the monitors keep 0.5 as osd_xinfo.old_weight (OSDMonitor, "osd out").
    stage.settings.values[WEIGHT] = "0.0"
    done = stage.relief.undo(3)
    assert (done.put_back, done.left) == ([], [])
    (waiting,) = done.waiting
    assert "osd.3 is out" in str(waiting.why)
    assert "0.5" in str(waiting.why)
    assert [one.osd for one in stage.relief.ls()] == [3]
    # "osd in", or a boot after it was marked out by itself, gives it the old weight.
    stage.settings.values[WEIGHT] = "0.5"
    assert [one.was for one in stage.relief.undo(3).put_back] == ["1.0"]
    assert stage.settings.values[WEIGHT] == "1.0"
    assert (stage.keys.keys, list(stage.relief.ls())) == ({}, [])


def test_an_osd_that_came_back_with_another_weight_is_left_as_it_is(stage: Stage) -> None:
    stage.relief.relieve(3, REWEIGHT, 0.5)
    stage.settings.values[WEIGHT] = "0.0"
    assert stage.relief.undo(3).waiting
    stage.settings.values[WEIGHT] = "0.75"
    (theirs,) = stage.relief.undo(3).left
    assert theirs.now == "0.75"
    assert stage.keys.keys == {}
