"""Faults put into recordings, and scores: small cases whose answer is plain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from detector_trials import inject
from detector_trials.faults import Fault
from detector_trials.recording import Recording
from detector_trials.score import Delays, Score, poisson_bound, score
from perf_bench.model.finding import COMMIT, Roster, Watched


def recording(hours: float = 3, trace_days: int = 3, hosts: int = 4) -> Recording:
    members = [
        Watched(host * 12 + disk, f"h{host}/d{disk}", f"h{host}", "all")
        for host in range(hosts)
        for disk in range(12)
    ]
    day = np.arange(0, hours * 3600, 15)
    starts = np.concatenate(
        [1.7e9 // 900 * 900 + number * 86400 + day for number in range(trace_days)]
    )
    noise = np.random.default_rng(2).normal(0, 0.1, (len(starts), len(members)))
    load = np.full(noise.shape, 1e7)
    return Recording(Roster(tuple(members)), starts, np.exp(noise), load)


def test_a_recording_as_frames_and_as_means() -> None:
    whole = recording(hours=1, trace_days=2)
    whole.latency[0, 0] = np.nan
    first, *rest = whole.frames()
    assert len(rest) == 479
    assert math.isnan(first.latency[COMMIT][0])
    assert first.latency[COMMIT][1] == pytest.approx(whole.latency[0, 1])
    means = whole.means(1800)
    assert means.shape == (4, 48)
    assert means[0, 0] == pytest.approx(np.nanmean(whole.latency[:120, 0]))


def test_faults_stand_where_they_should() -> None:
    whole = recording(hours=1, trace_days=1)
    begin = float(whole.starts[0])
    faults = [
        Fault([1], 2.0, begin + 600, begin + 1200),
        Fault([2], 3.0, begin, every=1800.0),
        Fault([3], 2.0, begin, ramp=3600.0),
    ]
    factor = inject.injected(whole, faults).recording.latency / whole.latency
    assert np.allclose(factor[:, 0], 1)
    assert np.flatnonzero(factor[:, 1] > 1.5).tolist() == list(range(40, 80))
    assert np.flatnonzero(factor[:, 2] > 1.5).tolist() == [0, 1, 120, 121]
    assert factor[-1, 3] == pytest.approx(2.0, rel=0.01)
    assert factor[120, 3] == pytest.approx(math.sqrt(2), rel=0.01)


def test_injections_pick_healthy_drives_of_different_hosts() -> None:
    whole = recording()
    well = inject.healthy(whole, {"h0/d0"})
    assert 0 not in well
    assert len(well) == 47
    trial = inject.acute(whole, well, seed=1)
    assert len(trial.faults) == 4 * 4 * 2  # four drives, four times a day, on two days
    hosts = {whole.roster.members[fault.members[0]].host for fault in trial.faults[:4]}
    assert len(hosts) == 4
    (day, _), *_ = inject.days(whole)[2:]
    wide = inject.host_wide(whole, {"h0/d0"}).faults
    assert [fault.begin for fault in wide] == [day + 900, day + 900]
    assert {whole.roster.members[p].host for f in wide for p in f.members} == {"h1", "h2"}


def test_scores() -> None:
    assert score({"a", "b"}, {"b", "c"}) == Score(1, 1, 1)
    assert Delays([60, 120, math.inf]).within(60) == pytest.approx(1 / 3)
    assert Delays([60, 120, math.inf]).found == pytest.approx(2 / 3)
    assert poisson_bound(0, 1000) == pytest.approx(0.003, rel=0.01)  # the rule of three
