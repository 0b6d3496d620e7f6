"""The proof on the labelled traces. They stay outside: PERF_BENCH_FAILSLOW names their folder.

About 15 minutes; each test prints what it measured (``pytest -s``). Faults are put into drives
labelled as normal, which keeps the true noise, load and tails.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

import pytest

from failslow import Fault, Trace, read
from perf_bench.model.frame import Roster
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.thresholds import Thresholds

FOLDER = os.environ.get("PERF_BENCH_FAILSLOW", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="PERF_BENCH_FAILSLOW names no traces")

MINUTE, SEGMENT, HOUR, DAY = 4, 60, 240, 720  # in frames; a day of the trace is 3 h
Name = tuple[str, str]


@pytest.fixture(scope="module", params=["A", "B"])
def trace(request: pytest.FixtureRequest) -> Trace:
    return read(Path(FOLDER), request.param)


@dataclass
class Played:
    """When (in frames) each target was first claimed."""

    detector: SlowDetector
    first: dict[Name, int]

    def osds(self) -> set[int]:
        return {int(name) for kind, name in self.first if kind == "osd"}


def play(
    trace: Trace,
    fault: Optional[Fault] = None,
    *,
    frames: int = 10**9,
    start: int = 0,
    every: int = 20,
    detector: Optional[SlowDetector] = None,
) -> Played:
    played = Played(detector or SlowDetector(Thresholds()), {})
    for at, frame in enumerate(trace.frames(fault, start), 1):
        if at > frames:
            break
        played.detector.step(frame)
        if at % every == 0:
            for claim in played.detector.claims():
                played.first.setdefault((claim.target.kind, claim.target.id), at)
    return played


def slower(osds: Iterable[int], ratio: float, begin: int = 0) -> Fault:
    chosen = tuple(osds)

    def fault(at: int, latency: list[float]) -> None:
        if at >= begin:
            for osd in chosen:
                latency[osd] *= ratio

    return fault  # type: ignore[return-value]  # an array behaves like a list here


def one_a_host(trace: Trace, count: int, chance: random.Random) -> list[int]:
    """Normal drives, each of another host."""
    hosts = trace.hosts()
    chosen = chance.sample(sorted(hosts), count)
    return [chance.choice([osd for osd in hosts[host] if osd not in trace.slow]) for host in chosen]


def most_are_known(trace: Trace, osd: int) -> bool:
    """Whether a drive has data in most frames of the first 24 h: host_29 of B has in a third."""
    day = trace.latency[: 24 * HOUR]
    return sum(row[osd] == row[osd] for row in day) > 0.5 * len(day)  # NaN is none


def say(text: str) -> None:
    print(text)  # noqa: T201  # the figures are what these tests are for


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else math.inf


def test_all_labelled_drives_and_no_other(trace: Trace) -> None:
    played = play(trace)
    minutes = {osd: played.first["osd", str(osd)] / MINUTE for osd in sorted(played.osds())}
    others = [name for name in played.first if name[0] != "osd"]
    say(f"found {minutes} of {sorted(trace.slow)}; also named {others}")
    assert played.osds() == trace.slow


def test_the_sustained_path_alone_finds_them_within_an_hour(trace: Trace) -> None:
    settings = Thresholds.of(["acute_ratio=1e9", "burst_ratio=1e9"])
    played = play(trace, frames=2 * DAY, detector=SlowDetector(settings))
    minutes = [first / MINUTE for (kind, _), first in played.first.items() if kind == "osd"]
    say(f"sustained alone: after {sorted(minutes)} min")
    assert played.osds() == trace.slow
    assert median(minutes) <= 60 + 5  # claims are looked at every 5 min


def test_three_times_as_slow_is_acute_in_5_minutes(trace: Trace) -> None:
    chance = random.Random(1)  # noqa: S311  # a choice of drives
    minutes, missed, wrong = [], 0, []
    for _ in range(10):
        start = DAY * chance.randrange(len(trace.times) // DAY)
        begin = start + 2 * HOUR + chance.randrange(30 * MINUTE)
        chosen = [o for o in one_a_host(trace, 10, chance) if trace.latency[begin][o] > 0]
        length = begin + 15 * MINUTE - start
        played = play(trace, slower(chosen, 3, begin), frames=length, start=start, every=1)
        for osd in chosen:
            first = played.first.get(("osd", str(osd)))
            if first is None:
                missed += 1
            else:
                minutes.append((first + start - begin) / MINUTE)
        wrong += sorted(played.osds() - set(chosen) - trace.slow)
    say(
        f"x3: {len(minutes)} found, {missed} missed, median {median(minutes)}, "
        f"max {max(minutes)} min, wrong {wrong}"
    )
    assert (missed, wrong) == (0, [])
    assert max(minutes) <= 5


def test_bursts_of_30_s_every_30_minutes_are_found_in_a_day(trace: Trace) -> None:
    chance = random.Random(2)  # noqa: S311  # a choice of drives
    found, total, wrong, hours = 0, 0, [], []
    for _ in range(4):
        chosen = [osd for osd in one_a_host(trace, 12, chance) if most_are_known(trace, osd)]
        shift = {osd: chance.randrange(30 * MINUTE) for osd in chosen}
        part = {osd: chance.random() for osd in chosen}

        def fault(at: int, latency: list[float]) -> None:
            for osd in chosen:  # noqa: B023  # played before the next round
                phase = (at + shift[osd]) % (30 * MINUTE)  # noqa: B023
                # 30 s that begin anywhere within a frame touch three
                weight = (1 - part[osd], 1.0, part[osd], 0.0)[min(phase, 3)]  # noqa: B023
                latency[osd] *= 1 + 2 * weight

        played = play(trace, fault, frames=24 * HOUR, every=HOUR // 4)  # type: ignore[arg-type]
        found += len(played.osds() & set(chosen))
        total += len(chosen)
        hours += [played.first["osd", str(osd)] / HOUR for osd in chosen if osd in played.osds()]
        wrong += sorted(played.osds() - set(chosen) - trace.slow)
    say(f"bursts: {found} of {total}, median {median(hours)} h, wrong {wrong}")
    assert found >= 0.95 * total
    assert wrong == []


def test_a_host_at_1_3_is_named_as_one(trace: Trace) -> None:
    """With the first two days (6 h) as its past, as DETECTION measured it."""
    state = play(trace, frames=2 * DAY).detector.save()
    named, minutes, others = 0, [], []
    for host, osds in trace.hosts().items():
        detector = SlowDetector(Thresholds())
        detector.restore(state, trace.times[2 * DAY])
        fault = slower(osds, 1.3, 2 * DAY)
        played = play(trace, fault, frames=DAY, start=2 * DAY, detector=detector)
        first = played.first.pop(("host", host), None)
        if first is not None:
            named += 1
            minutes.append(first / MINUTE)
        others += [(host, name) for name in played.first if int_of(name) not in trace.slow]
    say(f"hosts: {named} of {len(trace.hosts())}, median {median(minutes)} min, also {others}")
    assert named >= 0.9 * len(trace.hosts())
    assert others == []


def int_of(name: Name) -> int:
    return int(name[1]) if name[0] == "osd" else -1


@pytest.mark.parametrize("size", [3, 4, 5])
def test_groups_of_three_to_five(trace: Trace, size: int) -> None:
    """Every host's drives dealt into cohorts of their own."""
    small, groups = dealt(trace, size)
    quiet = play(small)
    assert quiet.osds() <= trace.slow, "false alarms"
    assert {kind for kind, _ in quiet.first} <= {"osd"}
    chance = random.Random(3)  # noqa: S311  # a choice of drives
    place = {member.osd: at for at, member in enumerate(small.roster.members)}
    chosen = [chance.choice(osds) for osds in groups if not trace.slow & set(osds)]
    fault = slower([place[osd] for osd in chosen], 2, 2 * DAY)
    played = play(small, fault, frames=2 * DAY + 2 * HOUR)
    late = {osd: played.first.get(("osd", str(osd)), 0) - 2 * DAY for osd in chosen}
    found = [frames / MINUTE for frames in late.values() if frames > 0]
    say(f"groups of {size}: {len(found)} of {len(chosen)}, median {median(found)} min")
    assert played.osds() - set(chosen) <= trace.slow, "the wrong drive"
    assert len(found) >= 0.95 * len(chosen)


def dealt(trace: Trace, size: int) -> tuple[Trace, list[list[int]]]:
    groups = [
        osds[at : at + size]
        for osds in trace.hosts().values()
        for at in range(0, len(osds) - size + 1, size)
    ]
    cohort = {osd: f"group-{at}" for at, osds in enumerate(groups) for osd in osds}
    small = trace.only(sorted(cohort))
    members = tuple(replace(member, cohort=cohort[member.osd]) for member in small.roster.members)
    return replace(small, roster=Roster(members)), groups
