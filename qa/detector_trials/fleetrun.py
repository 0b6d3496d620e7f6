"""Whom the detector accuses in fleets of healthy drives, and how soon it finds slow ones there.

``python -m detector_trials.fleetrun TRACES OUT.json --seeds 1-60`` runs one fleet for each seed;
what is in the file already is not run again, so that it can be ended and begun again at any time.
Seeds choose the recording, the noise, the family of jobs and their variation in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .alarms import roster_line
from .fleets import NOISES, Fleet, FleetSpec, Material, host_name
from .jobs import FAMILIES, Job, Level, held_out
from .score import poisson_bound
from .stream import put
from .trials import load

# Hosts of the recordings that are slow without a label, and the first of these days: the last
# three days of host_13 of A are 1.3 times as slow as the days before (docs/benchmarks.md).
_SICK = {"A": [("host_13", 11)]}
_SIZES = (93, 34)  # hosts, as on the two clusters that are held out
_DAYS = 15
# Fleets with slow drives in them, and what they are like.
TWINS = ("twin-large", "twin-small")


@dataclass(frozen=True)
class Case:
    """What a seed stands for."""

    seed: int
    cluster: str
    noise: str
    family: str
    hosts: int

    @classmethod
    def of(cls, seed: int, family: str | None = None) -> Case:
        """The seed's case; ``family`` overrides its own."""
        rng = np.random.default_rng([seed, 1])
        names = list(FAMILIES)
        family = family or names[seed % len(names)]
        cluster = "AB"[int(rng.integers(0, 2))]
        noise = str(rng.choice(list(NOISES), p=[0.5, 0.2, 0.3]))
        hosts = int(rng.choice(_SIZES))
        if family in TWINS:
            noise, hosts = ("quiet", 93) if family == "twin-large" else ("noisy", 34)
        return cls(seed, cluster, noise, family, hosts)

    def jobs(self, positions: int) -> tuple[list[Job], list[str]]:
        """Its jobs, and the drives that are really slow in it."""
        rng = np.random.default_rng([self.seed, 2])
        if self.family == "twin-large":
            return _twin_large(rng, self.hosts, positions)
        if self.family == "twin-small":
            return _twin_small(rng, self.hosts, positions)
        return FAMILIES[self.family](rng, self.hosts, positions), []


def _twin_large(
    rng: np.random.Generator, hosts: int, positions: int
) -> tuple[list[Job], list[str]]:
    """Like the larger of the clusters that are held out.

    Two drives of each host of another generation are slow since ever, 1.3 to 1.7 times.
    """
    jobs = held_out(rng, hosts, positions)
    level = jobs[0]
    assert isinstance(level, Level)  # noqa: S101
    slow = []
    for host in level.hosts:
        for position, ratio in zip(rng.permutation(positions)[:2], (1.35, 1.6)):
            jobs.append(Level([host], [int(position)], ratio * float(rng.uniform(0.96, 1.06))))
            slow.append(f"{host_name(host)}/disk{position + 1}")
    return jobs, slow


def _twin_small(
    rng: np.random.Generator, hosts: int, positions: int
) -> tuple[list[Job], list[str]]:
    """Like the smaller one: 18 drives are about twice as slow since ever."""
    jobs: list[Job] = []
    slow = []
    for host in rng.permutation(hosts)[:18]:
        position = int(rng.integers(0, positions))
        jobs.append(Level([int(host)], [position], float(rng.uniform(1.98, 2.17))))
        slow.append(f"{host_name(int(host))}/disk{position + 1}")
    return jobs, slow


@cache
def material_of(folder: Path, part: int | None) -> Mapping[str, Material]:
    """The recordings as material of fleets, by name."""
    return {
        real.name: Material.of(real.name, real.recording, real.slow, part, _SICK.get(real.name, ()))
        for real in load(folder)
    }


def run(folder: Path, part: int | None, case: Case, python: str) -> dict[str, Any]:
    """One fleet, JSON-ready: OSD-days, warnings by target, and delays of the slow drives."""
    material = material_of(folder, part)[case.cluster]
    jobs, slow = case.jobs(material.excess.shape[3])
    fleet = Fleet(material, FleetSpec(case.hosts, _DAYS, case.seed, NOISES[case.noise], jobs))
    absent = {fleet.roster.members[place].name for place in fleet.absent}
    slow = [name for name in slow if name not in absent]
    with judge_process(python) as judge:
        assert judge.stdin is not None  # noqa: S101
        assert judge.stdout is not None  # noqa: S101
        judge.stdin.write(roster_line(fleet.roster).encode())
        for frame in fleet.arrays():
            put(judge.stdin, frame)
        judge.stdin.close()
        found = json.loads(judge.stdout.read())
    names = {str(member.osd): member.name for member in fleet.roster.members}
    warned: dict[str, float] = {}
    infos: Counter[str] = Counter()
    told = {}
    for seconds, severity, kind, target, message in found["opened"]:
        name = names[target] if kind == "osd" else f"{kind} {target}"
        if severity == "info":
            infos[kind] += 1
        elif name not in warned:
            warned[name] = seconds / 60
            told[name] = message
    false = [name for name in warned if name not in slow]
    return {
        "case": vars(case),
        "osd_days": _DAYS * len(fleet.roster.members),
        "false": {name: [round(warned[name]), told[name]] for name in false},
        "info": infos,
        "slow": len(slow),
        "minutes": sorted(warned[name] for name in slow if name in warned),
        "cost": found["cost"],
    }


def judge_process(python: str) -> subprocess.Popen[bytes]:
    """A process that judges the frames that are written to it; it may be of another Python."""
    qa = Path(__file__).resolve().parents[1]
    path = os.pathsep.join((str(qa), str(qa.parent / "mgr_module")))
    return subprocess.Popen(
        [*python.split(), "-m", "detector_trials.alarms", "commit"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=qa,  # not from the repository: there `mgr_module` would be our folder
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def summary(done: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on all fleets, and on each family."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for one in done.values():
        groups[one["case"]["family"]].append(one)
        if not one["slow"]:
            groups["all without slow drives"].append(one)
    for name, fleets in groups.items():
        days = sum(one["osd_days"] for one in fleets)
        false = [target for one in fleets for target in one["false"]]
        hosts = sum(" " in target for target in false)
        rate, most = 1000 * len(false) / days, 1000 * poisson_bound(len(false), days)
        words = (
            f"{name}: {len(fleets)} fleets, {days:.0f} OSD-days, {len(false)} false warnings "
            f"({hosts} of them hosts or racks), {rate:.4f} per 1,000, at most {most:.4f}"
        )
        slow = sum(one["slow"] for one in fleets)
        if slow:
            minutes = sorted(each for one in fleets for each in one["minutes"])
            middle, last = (median(minutes), minutes[-1]) if minutes else (0.0, 0.0)
            words += f"; {len(minutes)} of {slow} found, median {middle:.0f} min, max {last:.0f}"
        yield words


def main() -> None:
    """Run the seeds that are missing in the file."""
    args = _parse()
    done: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    first, _, last = args.seeds.partition("-")
    part = {"tuning": 0, "aside": 1, "all": None}[args.material]
    for seed in range(int(first), int(last or first) + 1):
        case = Case.of(seed, args.family)
        key = f"{args.material} {case.family} {seed}"
        if key not in done:
            done[key] = run(args.traces, part, case, args.python)
            fresh = args.out.with_suffix(".new")
            fresh.write_text(json.dumps(done, indent=1))
            fresh.replace(args.out)
            one = done[key]
            print(key, case, f"{len(one['false'])} false", flush=True)
    print("\n".join(summary(done)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="detector_trials.fleetrun", description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="1-10")
    parser.add_argument("--family", choices=[*FAMILIES, *TWINS], help="instead of all in turn")
    parser.add_argument(
        "--material",
        choices=("tuning", "aside", "all"),
        default="all",
        help="hosts of the recordings: the first, third ..., the others, or all",
    )
    parser.add_argument("--python", default=sys.executable, help="who runs the detector")
    return parser.parse_args()


if __name__ == "__main__":
    main()
