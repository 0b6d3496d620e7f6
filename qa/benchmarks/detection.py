"""How well slow OSDs are found: on recorded clusters with labels, and on faults put into them.

The recordings are not ours to give away: `--traces`, or PERF_BENCH_FAILSLOW, names the folder
with `cluster_A.csv.xz`, `cluster_B.csv.xz` and `labels.csv`. Without it there are no figures.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from cluster.errors import ClusterError
from toolchain.bootstrap import Fault, ensure

from .figures import Figure, Target

VARIABLE = "PERF_BENCH_FAILSLOW"
_QA = Path(__file__).resolve().parents[1]
_HOUR = 3600.0
_ALL = Target(1.0, 1.0)
_NONE = Target(high=0.0)

Trial = dict[str, Any]


def run(traces: str | None, say: Callable[[str], None]) -> list[Figure]:
    """All figures; none where there are no recordings."""
    folder = traces or os.environ.get(VARIABLE)
    if folder:
        return of_trials(_measured(folder))
    say(f"no recorded clusters: --traces DIR or {VARIABLE} names their folder")
    return []


def of_trials(trials: Sequence[Trial]) -> list[Figure]:
    """What the trials on recordings come to."""
    of = {(trial["trial"], trial["cluster"]): trial for trial in trials}
    clusters = [cluster for name, cluster in of if name == "as it is"]
    figures: list[Figure] = []
    for cluster in clusters:
        figures += _as_it_is(cluster, of["as it is", cluster])
    delays = [delay for cluster in clusters for delay in _delays(of["as it is", cluster])]
    figures.append(
        Figure("labelled: median time to detect", _median(delays, 60), "min", Target(high=60))
    )
    for cluster in clusters:
        figures += _acute(cluster, of["acute", cluster])
        figures += _found("30 s bursts, x3, in 24 h", cluster, of["bursts", cluster], 24, 0.95)
        figures += _found("host-wide x1.3, named", cluster, of["host-wide", cluster], math.inf, 0.9)
        figures += _found("1 of 3 OSDs x2, in 2 h", cluster, of["threes", cluster], 2, 0.95)
    return figures


def _as_it_is(cluster: str, trial: Trial) -> list[Figure]:
    found, false, missed = trial["ours"]
    return [
        Figure(
            f"{cluster}: precision",
            found / (found + false) if found + false else 1.0,
            "",
            _ALL,
            _counts(trial),
            trial,
        ),
        Figure(f"{cluster}: recall", found / (found + missed), "", _ALL),
        # No target: the labels are of drives, and a host may well have been slow.
        Figure(f"{cluster}: hosts accused", trial["false_hosts"], ""),
    ]


def _acute(cluster: str, trial: Trial) -> list[Figure]:
    delays = _delays(trial)
    share = sum(delay <= 300 for delay in delays) / len(delays)
    note = f"{share:.0%} of {len(delays)} within 5 min; {_counts(trial)}"
    name = f"{cluster}: x3 for 15 min, median time to detect"
    return [Figure(name, _median(delays, 60), "min", Target(high=5), note, trial)]


def _found(what: str, cluster: str, trial: Trial, hours: float, least: float) -> list[Figure]:
    delays = _delays(trial)
    share = sum(delay <= hours * _HOUR and delay < math.inf for delay in delays) / len(delays)
    note = f"of {len(delays)}, median {_median(delays, _HOUR):.1f} h; {_counts(trial)}"
    return [
        Figure(f"{cluster}: {what}", share, "", Target(least, 1.0), note, trial),
        Figure(f"{cluster}: {what}: false", trial["ours"][1], "", _NONE),
    ]


def _counts(trial: Trial) -> str:
    """Found, falsely accused, missed."""
    return "/".join(map(str, trial["ours"]))


def _delays(trial: Trial) -> list[float]:
    return [math.inf if delay is None else delay for delay in trial["delays"]]


def _median(delays: Iterable[float], unit: float) -> float:
    # A number that JSON has; nothing found at all is as bad as 10,000 hours.
    return min(median(delays), 36e6) / unit


def _measured(folder: str) -> list[Trial]:
    """Run `detector_trials.measure` on the gate's Python, which has numpy."""
    try:
        python = ensure() / "python"
    except Fault as fault:
        raise ClusterError(str(fault)) from fault
    done = subprocess.run(
        [str(python), "-m", "detector_trials.measure", folder],
        cwd=_QA,  # not from the repository: there `mgr_module` would be our folder
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(_QA), str(_QA.parent / "mgr_module"))),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no word"]
        raise ClusterError(f"the detector's trials ended with {done.returncode}: {said[-1]}")
    return [json.loads(line) for line in done.stdout.splitlines()]
