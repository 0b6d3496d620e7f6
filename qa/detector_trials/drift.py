"""Drift of whole cohorts: false findings on healthy ones, and how soon real drifts are found.

``python -m detector_trials.drift OUT.json --seeds 1-20 [--family F] [--traces FOLDER]``; what is in
the file already is not run again. The families:

- ``hard``: single cohorts whose latency changes for reasons that load does not tell: days and
  weeks that differ, nightly jobs, incidents, other clients; load that grows and jumps;
- ``fleets``: thirds of fleets that are built out of recordings (fleets.py), with their noise and
  jobs; a recorded day of three hours is a day here too;
- ``drifted``: those of ``hard`` that become slower by a known factor for good;
- ``recorded``: each host of the recordings in ``--traces`` is a cohort, and all of a recording is
  one. A recorded day has three hours: its 450 s become an hour, so that it is a day.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import COMMIT
from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift.compare import KEPT_SECONDS, Comparison, Point
from perf_bench.watch.detect.cohort_drift.drift import CohortDrift

from .fleetrun import Case, material_of
from .fleets import NOISES, Fleet, FleetSpec
from .score import poisson_bound
from .trials import load

Array = NDArray[Any]
FAMILIES = ("hard", "drifted", "fleets", "recorded")
_OF_RECORDINGS = ("fleets", "recorded")
_FIRST = 1_790_000_000 // DAY * DAY
_WEEK_HOURS = 168
_DAYS = 42  # of a fleet
_HARD_DAYS = 56
_RATIOS = (1.3, 1.5, 2.0)
# The module judges every hour; what is judged are two days.
_EVERY = 4 * HOUR


def judged(hours: Sequence[Point]) -> dict[str, Any]:
    """Judge one cohort every 4 h: opened findings and weeks."""
    cohort = CohortDrift()
    opened: list[list[Any]] = []
    count = 0
    began = hours[0].start // DAY * DAY
    first = 0
    for at in range(int((hours[-1].start - began) // _EVERY) + 2):
        end = began + _EVERY * at
        if at * _EVERY < 7 * DAY:
            continue
        while hours[first].start < end - KEPT_SECONDS:
            first += 1
        newest = [one for one in hours[first:] if one.start < end]
        before = cohort.drift
        outcomes = cohort.step({COMMIT: newest}, end, osds=0)
        count += isinstance(outcomes.get(COMMIT), Comparison)
        drift = cohort.drift
        if drift is not before and drift is not None:
            level = "warning" if drift.warning else "info"
            opened.append([end - began, level, drift.ratios[COMMIT]])
        elif drift is not None and drift.warning and opened:
            opened[-1][1] = "warning"
    return {"weeks": count * _EVERY / (7 * DAY), "opened": opened}


def hard(seed: int, length: int = _HARD_DAYS) -> list[Point]:
    """One cohort with much that its load does not tell, for so many days."""
    rng = np.random.default_rng([seed, 6])
    count = length * 24
    hour = np.arange(count)
    day, week = hour // 24, hour // _WEEK_HOURS
    # Load: the day, weekends, growth of up to 2 % a day, jumps by new clients.
    load = float(rng.uniform(0.2, 0.9)) * np.sin(2 * math.pi * hour / 24)
    load -= float(rng.uniform(0, 0.6)) * ((day % 7) >= 5)
    load += float(rng.uniform(-0.01, 0.02)) * day * (_HARD_DAYS / length)
    for at in rng.integers(0, count, 2):
        load += float(rng.uniform(-0.4, 0.4)) * (hour >= at)
    load += _wander(rng, count, 0.7, 0.15)
    size = _wander(rng, count, 0.9, float(rng.uniform(0.02, 0.2)))
    level = float(rng.uniform(0.0, 0.9)) * load + float(rng.uniform(0.0, 0.4)) * size
    level += 0.15 * np.maximum(load, 0.0) ** 2  # towards saturation
    # What load does not tell: hours, days and weeks of their own (Student's t, so with tails).
    scale = float(rng.uniform(0.01, 0.05))
    level += _wander(rng, count, 0.8, float(rng.uniform(0.01, 0.08)))
    level += (scale * rng.standard_t(3, length + 1))[day]
    level += (scale * rng.standard_t(4, length // 7 + 1))[week]
    if rng.random() < 0.5:  # a nightly job, on most nights, from some day on
        begins, lasts = int(rng.integers(0, 24)), int(rng.integers(2, 9))
        nights = (rng.random(length + 1) < 0.7)[day] & (day >= int(rng.integers(0, length)))
        level += math.log(float(rng.uniform(1.2, 3.0))) * (((hour - begins) % 24 < lasts) & nights)
    for _ in range(int(rng.poisson(length / 28))):  # an incident of up to half a day
        at = int(rng.integers(0, count))
        level[at : at + int(rng.integers(1, 13))] += math.log(float(rng.uniform(1.2, 4.0)))
    known = rng.random(count) > 0.02
    at = int(rng.integers(0, count))
    known[at : at + int(rng.integers(0, 60))] = False  # nobody watched
    return [
        Point(
            _FIRST + one * HOUR, float(level[one]), (float(load[one]), float(load[one] + size[one]))
        )
        for one in hour[known].tolist()
    ]


def _wander(rng: np.random.Generator, count: int, memory: float, scale: float) -> Array:
    """An autoregressive noise of this standard deviation."""
    shocks = rng.standard_normal(count) * scale * math.sqrt(1 - memory**2)
    for at in range(1, count):
        shocks[at] += memory * shocks[at - 1]
    return shocks


def slower(hours: Sequence[Point], ratio: float, at: float) -> list[Point]:
    """The same, slower from a moment on, which is in seconds from the first."""
    begin = hours[0].start + at
    return [
        one._replace(level=one.level + math.log(ratio)) if one.start >= begin else one
        for one in hours
    ]


def _moment(seed: int) -> float:
    """Some hour of the fourth week."""
    return float(21 * DAY + (seed * 7919) % (5 * DAY) // HOUR * HOUR)


def fleets(folder: Path, seed: int) -> Iterator[tuple[str, list[Point]]]:
    """Three cohorts of one fleet of healthy drives."""
    case = Case.of(seed)
    material = material_of(folder, None)[case.cluster]
    jobs, _ = case.jobs(material.excess.shape[3])
    fleet = Fleet(material, FleetSpec(case.hosts, _DAYS, seed, NOISES[case.noise], jobs))
    parts = np.array_split(np.arange(len(fleet.roster.members)), 3)
    found: dict[int, list[Point]] = defaultdict(list)
    for day in range(_DAYS):
        latency, load_ = (_hourly(one) for one in fleet.day(day))
        for number, part in enumerate(parts):
            level = np.log(np.nanmedian(latency[:, part], axis=1))
            rate = np.log(np.nanmedian(load_[:, part], axis=1) + 16384.0)
            found[number] += [
                Point(_FIRST + day * DAY + at * HOUR, float(own), (float(rates),))
                for at, (own, rates) in enumerate(zip(level, rate))
            ]
    for number, hours in found.items():
        yield f"{case.cluster} {case.noise} {case.family} {number}", hours


def _hourly(frames: Array) -> Array:
    """Means of 24 equal spans of a day's frames."""
    each = len(frames) // 24
    means: Array = np.nanmean(frames[: 24 * each].reshape(24, each, -1), axis=1)
    return means


def recorded(folder: Path) -> Iterator[tuple[str, list[Point]]]:
    """The hosts of the recordings, and each recording as a whole, without labelled drives."""
    for real in load(folder):
        recording = real.recording
        seconds = 450.0
        spans = np.unique(recording.starts // seconds)
        latency = np.log(recording.means(seconds))
        rates = np.log(recording.with_latency(recording.load).means(seconds) + 16384.0)
        well = real.well
        groups = {"all": well}
        for host, places in recording.hosts().items():
            mine = [place for place in places if place in set(well)]
            if len(mine) >= 6:
                groups[host] = mine
        day_of = spans * seconds // DAY
        starts = np.full(len(spans), math.nan)
        for number, day in enumerate(np.unique(day_of)):  # days without a recording are skipped
            rows = np.flatnonzero(day_of == day)[:24]
            starts[rows] = _FIRST + number * DAY + HOUR * np.arange(len(rows))
        for name, places in groups.items():
            level = np.nanmedian(latency[:, places], axis=1)
            rate = np.nanmedian(rates[:, places], axis=1)
            yield (
                f"{real.name} {name}",
                [
                    Point(float(start), float(own), (float(load_),))
                    for start, own, load_ in zip(starts, level, rate)
                    if not math.isnan(own + start)
                ],
            )


def run(family: str, seed: int, folder: Path | None) -> dict[str, Any]:
    """The cohorts of one seed, by name; ``folder`` has the recordings."""
    if family == "drifted":
        hours, at = hard(seed), _moment(seed)
        return {f"x{ratio}": {**judged(slower(hours, ratio, at)), "at": at} for ratio in _RATIOS}
    if family == "fleets" and folder is not None:
        return {name: judged(hours) for name, hours in fleets(folder, seed)}
    return {"hard": judged(hard(seed))}


def summary(done: Mapping[str, Any]) -> Iterator[str]:
    """A sentence on each family."""
    by_family: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for key, cohorts in done.items():
        by_family[key.split()[0]] += cohorts.items()
    for family, cohorts in by_family.items():
        if family == "drifted":
            yield from _found(family, cohorts)
            continue
        weeks = sum(one["weeks"] for _, one in cohorts)
        opened = [each for _, one in cohorts for each in one["opened"]]
        warned = sum(each[1] == "warning" for each in opened)
        most = poisson_bound(len(opened), weeks) if weeks else math.inf
        yield (
            f"{family}: {len(cohorts)} cohorts, {weeks:.0f} cohort-weeks judged, {len(opened)} "
            f"findings, {warned} of them warnings; 95 % sure at most {most:.4f} a cohort-week"
        )


def _found(family: str, cohorts: Sequence[tuple[str, Any]]) -> Iterator[str]:
    for ratio in _RATIOS:
        mine = [one for name, one in cohorts if name.startswith(f"x{ratio}")]
        delays = []
        for one in mine:
            after = [(each[0] - one["at"]) / HOUR for each in one["opened"] if each[0] > one["at"]]
            delays += after[:1]
        delays.sort()
        middle = delays[len(delays) // 2] if delays else math.nan
        day = sum(delay <= 42 for delay in delays)
        yield (
            f"{family} x{ratio}: {len(delays)} of {len(mine)} found, {day} within 42 h, "
            f"median {middle:.0f} h"
        )


def main() -> None:
    """Run what is missing in the file."""
    parser = argparse.ArgumentParser(prog="detector_trials.drift", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--traces", type=Path, help="a folder with the recordings")
    args = parser.parse_args()
    done: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    first, _, last = args.seeds.partition("-")
    for family in args.family or FAMILIES:
        if family in _OF_RECORDINGS and args.traces is None:
            continue
        if family == "recorded":
            for name, hours in recorded(args.traces):
                done[f"recorded {name}"] = {name: judged(hours)}
            args.out.write_text(json.dumps(done, indent=1))
            continue
        for seed in range(int(first), int(last or first) + 1):
            key = f"{family} {seed}"
            if key not in done:
                done[key] = run(family, seed, args.traces)
                args.out.write_text(json.dumps(done, indent=1))
    print("\n".join(summary(done)))


if __name__ == "__main__":
    main()
