"""The long run of false alarms: many OSD-days of simulated clusters, one seed after the other.

``python -m detector_trials.longrun OUT.json --seeds 1-25``; what is in the file already is not run
again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .alarms import roster_line
from .score import poisson_bound
from .simulate import Simulation, Spec
from .stream import put


def main() -> None:
    """Run the seeds that are missing in the file."""
    args = _parse()
    done: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    first, _, last = args.seeds.partition("-")
    for seed in range(int(first), int(last or first) + 1):
        spec = Spec(args.osds, seed, channels=tuple(args.channels.split(",")), seconds=args.seconds)
        if str(seed) not in done:
            done[str(seed)] = judged_apart(spec, args.days, args.python)
            fresh = args.out.with_suffix(".new")
            fresh.write_text(json.dumps(done, indent=1))
            fresh.replace(args.out)
            print(f"seed {seed}: {summary(done)}", flush=True)


def judged_apart(spec: Spec, days: float, python: str) -> dict[str, Any]:
    """The simulation here, the detector in a process of its own, which may be another Python."""
    simulation = Simulation(spec)
    with judge_process(python, spec.channels) as judge:
        assert judge.stdin is not None  # noqa: S101
        assert judge.stdout is not None  # noqa: S101
        judge.stdin.write(roster_line(simulation.roster).encode())
        for frame in simulation.arrays(days):
            put(judge.stdin, frame)
        judge.stdin.close()
        found: dict[str, Any] = json.loads(judge.stdout.read())
        return found


def judge_process(python: str, channels: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process that judges the frames of these channels that are written to it."""
    qa = Path(__file__).resolve().parents[1]
    path = os.pathsep.join((str(qa), str(qa.parent / "mgr_module")))
    return subprocess.Popen(
        [*python.split(), "-m", "detector_trials.alarms", *channels],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=qa,  # not from the repository: there `mgr_module` would be our folder
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def summary(done: dict[str, Any]) -> str:
    """All seeds together, in a sentence."""
    osd_days = sum(one["osd_days"] for one in done.values())
    alarms = sum(one["alarms"] for one in done.values())
    rate, most = alarms / osd_days * 1000, poisson_bound(alarms, osd_days) * 1000
    return (
        f"{alarms} false alarms in {osd_days:.0f} OSD-days: {rate:.4f} per 1,000, "
        f"95 % sure at most {most:.4f}"
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="detector_trials.longrun", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", default="1-25")
    parser.add_argument("--osds", type=int, default=10_000)
    parser.add_argument("--days", type=float, default=4.0, help="of each seed")
    parser.add_argument("--seconds", type=float, default=15.0, help="of a frame")
    parser.add_argument("--channels", default="commit")
    parser.add_argument("--python", default=sys.executable, help="who runs the detector")
    return parser.parse_args()


if __name__ == "__main__":
    main()
