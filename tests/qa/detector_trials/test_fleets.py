"""Fleets out of recordings keep what drives, hosts, positions and hours have in common."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from detector_trials.fleets import Fleet, FleetSpec, Material
from detector_trials.jobs import Event, Job, Level
from detector_trials.recording import Recording
from perf_bench.model.finding import Roster, Watched

DAY, FRAMES, HOSTS, DISKS = 86400.0, 120, 4, 10


def recording(days: int = 3, seed: int = 1) -> Recording:
    """Position 3 is always 1.5 times as slow, and on day 1 everything is twice as slow."""
    rng = np.random.default_rng(seed)
    members = tuple(
        Watched(at, f"h{at // DISKS}/disk{at % DISKS + 1}", f"h{at // DISKS}", "all")
        for at in range(HOSTS * DISKS)
    )
    starts = np.array([day * DAY + 15 * frame for day in range(days) for frame in range(FRAMES)])
    log = rng.normal(0, 0.05, (len(starts), len(members))) + np.repeat([0, 0.1, 0.2, 0.3], DISKS)
    log[:, 2::DISKS] += math.log(1.5)
    log[FRAMES : 2 * FRAMES] += math.log(2)
    load = np.full(log.shape, 1e6, dtype=np.float32)
    return Recording(Roster(members), starts, np.exp(log).astype(np.float32), load)


def fleet(spec: FleetSpec, **options: Any) -> Fleet:
    return Fleet(Material.of("A", recording(), (), **options), spec)


def logs(made: Fleet, day: int = 0) -> Any:
    return np.log(made.day(day)[0])


def test_the_same_seed_gives_the_same_frames() -> None:
    first, again, other = (fleet(FleetSpec(6, 2, seed)) for seed in (1, 1, 2))
    assert np.array_equal(first.day(0)[0], again.day(0)[0])
    assert not np.array_equal(logs(first, 1), logs(other, 1))


def test_positions_hosts_and_hours_keep_what_they_have_in_common() -> None:
    made = fleet(FleetSpec(8, 3, 1))
    days = [logs(made, day) for day in range(3)]
    by_position = np.mean(days, axis=(0, 1)).reshape(8, DISKS).mean(axis=0)
    assert by_position.argmax() == 2
    assert by_position[2] - np.median(by_position) == pytest.approx(math.log(1.5), abs=0.02)
    # the slow day of the recording is one whole day of the fleet, on all its hosts
    means = sorted(day.mean() for day in days)
    assert means[2] - means[1] == pytest.approx(math.log(2), abs=0.02)
    # four hosts of the recording, each twice and with the same level on all days
    levels = np.array(
        [day.reshape(FRAMES, 8, DISKS).mean(axis=(0, 2)) - day.mean() for day in days]
    )
    assert levels.std(axis=0).max() < 0.02
    assert levels.mean(axis=0).max() - levels.mean(axis=0).min() > 0.25


def test_slow_drives_sick_days_and_the_other_half_of_the_hosts_are_left_out() -> None:
    made = Material.of("A", recording(), {"h0/disk1"}, 0, [("h2", 1)])
    assert made.excess.shape == (3, FRAMES, 2, DISKS)
    assert np.isnan(made.excess[:, :, 0, 0]).all()
    assert not np.isnan(made.excess[0]).all(axis=0)[1].any()
    assert np.isnan(made.excess[1:, :, 1]).all()
    odd = Material.of("A", recording(), (), 1)
    assert np.nanmean(odd.excess) > np.nanmean(made.excess)  # h1 and h3 are slower


def events(job: Job, day: int, frames: int = 720) -> list[Event]:
    return list(job.events(np.random.default_rng(1), day, frames))


def test_jobs_are_laid_over_the_drives_that_they_name() -> None:
    plain = logs(fleet(FleetSpec(3, 2, 1)), 1)
    slowed = logs(fleet(FleetSpec(3, 2, 1, jobs=[Level([1], [2, 5], 2.0, first=1, alike=0)])), 1)
    more = (slowed - plain).mean(axis=0)
    assert np.flatnonzero(more > 0.1).tolist() == [DISKS + 2, DISKS + 5]
    assert more[DISKS + 2] == pytest.approx(math.log(2), abs=1e-3)
