"""Which rounds the doctor believes when it compares mClock's capacities with what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from asked import asks
from fakes.commands import first
from nouns import an_osd
from past import Disks
from perf_bench.model.doctor_snapshot import OsdDetails
from perf_bench.model.plan import PROFILES, Request
from perf_bench.model.round import OsdResult, RoundState, Verdict

HDD = "osd_mclock_max_capacity_iops_hdd"
MCLOCK = {"osd_op_queue": "mclock_scheduler", HDD: "315.0"}
# A scale at which the scripted disks do about 100 writes of 4 KiB a second.
A_THIRD = 0.0022


@pytest.fixture
def disks(tmp_path: Path, quick: None) -> Iterator[Disks]:
    made = Disks(tmp_path / "main.db")
    details = {n: OsdDetails(an_osd(n, rotational=True)) for n in range(6)}
    made.charts.change = {"osds": details, "options": {"hdd": MCLOCK}}
    yield made
    made.close()


def _proposed(disks: Disks) -> list[int]:
    return [one["osd"] for one in asks(disks.api, "mclock propose")]


def test_a_figure_counts_only_if_its_round_may_be_compared(
    disks: Disks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for verdict in Verdict:
        line: Any = SimpleNamespace(id=7, verdict=verdict, step=PROFILES["osd-iops"].steps[0])
        found = {3: (line, OsdResult(3, "host-0", median_iops=100.0))}
        monkeypatch.setattr(disks.bench.results, "newest", lambda profile=None, of=found: of)
        believed = verdict in (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)
        disks.doctor.forget()
        assert list(disks.doctor.snapshot().measured) == ([3] if believed else [])
        assert _proposed(disks) == ([3] if believed else [])


def test_a_round_that_was_ended_hides_no_valid_one_before_it(disks: Disks) -> None:
    """Else the advice would come and go with each round that recovery or the guard ends."""
    disks._run(Request("osd-iops"), disks._script((0.991, 1.0, 1.009), A_THIRD))
    valid = disks.round()
    assert valid.verdict is Verdict.VALID
    proposed = _proposed(disks)
    assert proposed
    script = disks._script((1.0, 1.0, 1.0, 1.0, 1.0), A_THIRD)
    script[3][1] = first(lambda: disks.bench.abort(None), script[3][1])
    disks._run(Request("osd-iops"), script)
    assert disks.round(2).state is RoundState.ABORTED
    disks.doctor.forget()
    assert _proposed(disks) == proposed
    assert {one.round for one in disks.doctor.snapshot().measured.values()} == {valid.id}


def test_another_block_size_is_no_capacity(disks: Disks) -> None:
    """A round with --size does other work under the profile's name; mClock counts 4 KiB."""
    disks._run(Request("osd-iops"), disks._script((0.991, 1.0, 1.009), A_THIRD))
    ours, proposed = disks.round(), _proposed(disks)
    assert (ours.verdict, bool(proposed)) == (Verdict.VALID, True)
    script = disks._script((0.991, 1.0, 1.009), 8 * A_THIRD)  # half as many a second
    disks._run(Request("osd-iops", size="64K"), script)
    other = disks.round(2)
    assert (other.verdict, other.plan.step.block_size) == (Verdict.VALID, 64 << 10)
    disks.doctor.forget()
    measured = disks.doctor.snapshot().measured.values()
    assert {one.round for one in measured} == {ours.id}
    assert {len(one.valid) for one in measured} == {1}
    assert _proposed(disks) == proposed
