"""What was looked at and what could not be, told by every part and shown by every view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from asked import ask
from fakes.counters import Pulse
from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout, hosts
from past import api_of
from perf_bench.model.finding import Finding, Gap, Look, Severity, Target, gap_sentences
from perf_bench.model.finding_kinds import CODES, SLOW_OSD
from perf_bench.watch import findings
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    yield made
    made.close()


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread) -> Lookout:
    return Lookout(store_thread, members=hosts(3, 4))


def look_at(lookout: Lookout, name: str = "slow_osds") -> Look:
    (found,) = [one for one in lookout.watch.coverage(0.0) if one.name == name]
    return found


def test_every_kind_of_finding_is_of_a_look(stage: Stage) -> None:
    """Except those of detectors that the stage does not have."""
    told = {code for look in ask(api_of(stage), "coverage ls")[0] for code in look.codes}
    assert set(CODES) - told <= {
        "PERF_BENCH_OSD_FLAPPING",
        "PERF_BENCH_COHORT_DRIFT",
        "PERF_BENCH_STANDBY_MGR",
    }


def test_all_osds_are_judged_after_some_minutes(lookout: Lookout) -> None:
    lookout.passes(600)
    found = look_at(lookout)
    assert (found.total, found.looked, found.gaps) == (12, 12, ())
    assert lookout.watch.no_data(3) is None
    assert look_at(lookout, "laggy_pgs").complete


def test_a_young_watch_says_how_long_to_wait(lookout: Lookout) -> None:
    lookout.passes(150)
    (gap,) = look_at(lookout).gaps
    assert (gap.code, gap.count) == ("cold", 12)
    assert "wait" in gap.help


def test_an_idle_osd_since_when_and_what_helps(lookout: Lookout) -> None:
    lookout.passes(900)
    lookout.pulses[5] = Pulse(5, {})
    stopped = lookout.clock.now()
    lookout.passes(1200)
    found = look_at(lookout)
    assert found.looked == 11
    (gap,) = found.gaps
    assert gap.units == ("osd.5",)
    assert gap.since is not None
    assert abs(gap.since - stopped) <= 120
    assert gap.why
    reason = lookout.watch.no_data(5)
    assert reason is not None
    assert reason.since == gap.since
    sentence = gap_sentences([found])[0]
    assert sentence.startswith("latencies of OSDs against their peers: 1 of 12 OSDs (osd.5) ")


def test_while_the_watch_is_off_nothing_is_looked_at(lookout: Lookout) -> None:
    lookout.passes(600)
    lookout.options = replace(lookout.options, on=False)
    found = look_at(lookout)
    assert (found.looked, [gap.code for gap in found.gaps]) == (0, ["off"])
    assert "mgr/perf_bench/watch true" in found.gaps[0].help
    reason = lookout.watch.no_data(3)
    assert reason is not None
    assert reason.code == "off"


@pytest.mark.parametrize("on", [True, False])
def test_the_coverage_of_before_is_not_told_once_the_watch_is_switched(
    lookout: Lookout, on: bool
) -> None:
    lookout.options = replace(lookout.options, on=not on)
    lookout.passes(600)
    lookout.watch.coverage()
    lookout.options = replace(lookout.options, on=on)
    (found,) = [one for one in lookout.watch.coverage() if one.name == "laggy_pgs"]
    assert ([gap.code for gap in found.gaps] == ["off"]) is not on


def _finding(number: int) -> Finding:
    return Finding(number, SLOW_OSD.code, Severity.WARNING, Target("osd", str(number)), f"{number}")


def test_health_details_end_with_what_could_not_be_looked_at() -> None:
    gap = Gap("idle", "idle", "", ("osd.1",), 1)
    looks = [Look("slow_osds", "latencies", "OSD", 30, (SLOW_OSD.code,), (gap,))]
    shown = findings.checks([_finding(n) for n in range(30)], CODES, lambda: looks)[SLOW_OSD.code]
    assert shown["count"] == 30
    assert shown["detail"][-2:] == [
        "and 21 more",
        "latencies: 1 of 30 OSDs (osd.1) not looked at: idle",
    ]
    assert len(shown["detail"]) == 11
