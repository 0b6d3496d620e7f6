"""The proof on labelled recordings in a short form; ``qa/detector_trials`` has the long one.

The recordings are made up to the figures of real ones (tests/lib/recordings.py). The detector is
compared with the plain sustained rule of 15 minutes, computed afterwards over the whole cohort: the
median of a segment's minutes against the other drives of the host, z 5 of the cohort's MAD and a
ratio of 1.25, in 3 of 4 segments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

import pytest

from perf_bench.model.finding import COMMIT, Severity
from perf_bench.model.statistics import MAD_TO_SIGMA, medians_of_others
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.thresholds import Thresholds
from recordings import CLUSTERS, DISKS, Cluster

_DAYS = 2
_MINUTE, _SEGMENT = 4, 60  # frames
_HOUR = 60.0  # minutes


@dataclass
class Played:
    """Minutes of data until each drive was named, by our detector and by the plain rule."""

    cluster: Cluster
    ours: Mapping[str, float]
    plain: Mapping[str, float]
    others: set[str]  # targets of warnings that are no drives


@cache
def played_of(cluster: Cluster) -> Played:
    return play(cluster, seed=7)


@pytest.fixture(params=CLUSTERS, ids=lambda cluster: cluster.name)
def played(request: pytest.FixtureRequest) -> Played:
    return played_of(request.param)


def play(cluster: Cluster, seed: int) -> Played:
    detector = SlowDetector(Thresholds())
    names = {str(member.osd): member.name for member in cluster.roster.members}
    ours: dict[str, float] = {}
    others: set[str] = set()
    rows: list[Sequence[float]] = []
    for number, frame in enumerate(cluster.frames(_DAYS, seed), 1):
        detector.step(frame)
        rows.append(frame.latency[COMMIT])
        if number % (5 * _MINUTE) == 1:
            for claim in detector.claims():
                if claim.severity is Severity.INFO:
                    continue
                if claim.target.kind == "osd":
                    ours.setdefault(names[claim.target.id], number / _MINUTE)
                else:
                    others.add(str(claim.target))
    return Played(cluster, ours, plain_rule(rows, list(names.values())), others)


def plain_rule(rows: Sequence[Sequence[float]], names: Sequence[str]) -> dict[str, float]:
    minutes = []
    for at in range(0, len(rows), _MINUTE):
        means = [math.log(sum(own) / _MINUTE) for own in zip(*rows[at : at + _MINUTE])]
        minutes.append(
            [
                own - other
                for host in range(0, len(means), DISKS)
                for own, other in zip(
                    means[host : host + DISKS], medians_of_others(means[host : host + DISKS])
                )
            ]
        )
    hits: list[list[bool]] = [[] for _ in names]
    first: dict[str, float] = {}
    a_segment = _SEGMENT // _MINUTE
    for segment in range(len(minutes) // a_segment):
        part = minutes[segment * a_segment : (segment + 1) * a_segment]
        excess = [median(own) for own in zip(*part)]
        centre = median(excess)
        scale = max(MAD_TO_SIGMA * median([abs(own - centre) for own in excess]), 0.02)
        for place, own in enumerate(excess):
            hits[place].append(own >= math.log(Thresholds().sustained_ratio) and own / scale >= 5)
            if sum(hits[place][-4:]) >= 3:
                first.setdefault(names[place], (segment + 1) * 15.0)
    return first


def test_all_slow_drives_are_named_and_nobody_else(played: Played) -> None:
    assert set(played.ours) == set(played.cluster.slow)
    assert played.others == set()


def test_each_is_named_within_four_hours_of_data(played: Played) -> None:
    assert max(played.ours.values()) <= 4 * _HOUR


def test_half_of_all_are_named_within_an_hour() -> None:
    minutes = [after for cluster in CLUSTERS for after in played_of(cluster).ours.values()]
    assert median(minutes) <= _HOUR + 1


def test_none_is_named_much_later_than_by_the_plain_rule(played: Played) -> None:
    """Not more than two segments later; sooner in noise, where the plain rule waits for luck."""
    assert set(played.plain) <= set(played.cluster.slow)
    for name, minutes in played.plain.items():
        assert played.ours[name] <= minutes + 2 * 15 + 1, name
