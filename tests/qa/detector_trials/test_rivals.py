"""Other systems' rules, and faults put into recordings: small cases whose answer is plain."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from detector_trials import inject, rivals, trials
from detector_trials.faults import Fault
from detector_trials.recording import Matrix, Recording
from detector_trials.score import Delays, Score, least_share, poisson_bound, score
from perf_bench.model.finding import COMMIT, Roster, Watched

TRACES = os.environ.get("PERF_BENCH_FAILSLOW")


def group(factor: float, rows: int = 200, peers: int = 12, noise: float = 0.1) -> Matrix:
    """One of these is ``factor`` times as slow."""
    latency = np.exp(np.random.default_rng(1).normal(0, noise, (rows, peers)))
    latency[:, 3] *= factor
    return latency


@pytest.mark.parametrize(
    ("rule", "factor", "accused"),
    [
        (rivals.hdfs, 4.0, True),
        (rivals.hdfs, 2.0, False),  # below three medians
        (partial(rivals.hdfs, times_median=0, windows=30), 2.0, True),
        (rivals.zfs_autosit, 30.0, True),
        (rivals.zfs_autosit, 2.0, False),  # below the fence of 50
        (partial(rivals.zfs_autosit, insensitivity=3.0), 3.0, True),
        (rivals.ceph_pr, 4.0, True),
        (rivals.ceph_pr, 1.0, False),
        (partial(rivals.ceph_pr, least_latency=100.0), 50.0, False),  # below 100 ms
        (partial(rivals.ceph_pr, mad_floor=10.0), 4.0, False),
    ],
)
def test_what_each_rule_needs(
    rule: Callable[[Matrix], Matrix], factor: float, accused: bool
) -> None:
    assert np.flatnonzero(rule(group(factor))).tolist() == ([3] if accused else [])


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
    assert whole.sampled(60).shape == (120, 48)


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
    assert (Score(1, 1, 1).precision, Score(1, 0, 3).recall) == (0.5, 0.25)
    assert Delays([60, 120, math.inf]).within(60) == pytest.approx(1 / 3)
    assert Delays([60, 120, math.inf]).found == pytest.approx(2 / 3)
    assert poisson_bound(0, 1000) == pytest.approx(0.003, rel=0.01)  # the rule of three
    assert least_share(53, 53) == pytest.approx(0.93, abs=0.005)


@pytest.mark.skipif(not TRACES, reason="PERF_BENCH_FAILSLOW names no folder of recordings")
def test_the_rules_do_on_the_recordings_what_was_published() -> None:
    for real in trials.load(Path(TRACES or "")):
        hosts = list(real.recording.hosts().values())
        everybody = [list(range(len(real.recording.roster.members)))]
        halves, minutes = real.recording.means(1800), real.recording.sampled(60)
        long = partial(rivals.hdfs, times_median=0, windows=30)
        pr = partial(rivals.ceph_pr, least_latency=1e5)
        names = [member.name for member in real.recording.roster.members]
        for latency, groups, rule, found in (
            (halves, hosts, rivals.hdfs, True),
            (halves, hosts, long, True),
            (real.recording.latency, hosts, rivals.zfs_autosit, True),
            (minutes, everybody, pr, False),
            (minutes, hosts, rivals.ceph_pr, True),
        ):
            accused = {names[place] for place in rivals.accused(latency, groups, rule)}
            assert accused == (real.slow if found else set())
