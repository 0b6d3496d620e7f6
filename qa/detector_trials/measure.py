"""The figures of ``qa/benchmarks/run --only detection``, a JSON object a line as they come.

``python -m detector_trials.measure traces FOLDER`` or
``python -m detector_trials.measure alarms OSD_DAYS``. It needs numpy, so it runs on
the gate's Python.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from . import trials
from .alarms import judged
from .errors import TraceError
from .score import poisson_bound
from .simulate import Simulation, Spec

SEED = 1
# Of the simulated cluster; with fewer OSD-days than it has in two days it is made smaller.
_OSDS = 3000
_DAYS = 2.0


def main() -> int:
    """Returns 0, or 2 with a sentence when there are no traces."""
    what, argument = sys.argv[1:]
    try:
        lines = traces(Path(argument)) if what == "traces" else alarms(float(argument))
        for line in lines:
            print(json.dumps(line), flush=True)
    except TraceError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def traces(folder: Path) -> Iterator[dict[str, Any]]:
    """All trials on each of the recorded clusters."""
    runs: dict[str, Callable[[trials.Real], trials.Outcome]] = {
        "as it is": trials.as_it_is,
        "acute": partial(trials.acute, seed=SEED),
        "bursts": partial(trials.bursts, seed=SEED),
        "host-wide": trials.host_wide,
        "threes": trials.threes,
    }
    for real in trials.load(folder):
        for name, run in runs.items():
            yield {"trial": name, "cluster": real.name, **_shape(run(real))}


def alarms(osd_days: float) -> Iterator[dict[str, Any]]:
    """So many OSD-days of simulated clusters, with the rate of false alarms and its bound."""
    osds = min(_OSDS, max(100, round(osd_days / _DAYS)))
    left, seed, count, done = osd_days, SEED, 0, 0.0
    by_code: dict[str, int] = {}
    while left > osds / 100:
        days = min(left / osds, 10.0)
        found = judged(Simulation(Spec(osds, seed)).frames(days))
        count += found["alarms"]
        done += found["osd_days"]
        for code, number in found["by_code"].items():
            by_code[code] = by_code.get(code, 0) + number
        left, seed = left - days * osds, seed + 1
    yield {
        "alarms": count,
        "osd_days": done,
        "per_1000": 1000 * count / done,
        "at_most_per_1000": 1000 * poisson_bound(count, done),
        "by_code": by_code,
        "seeds": list(range(SEED, seed)),
    }


def _shape(outcome: trials.Outcome) -> dict[str, Any]:
    return {
        "ours": [outcome.ours.found, outcome.ours.false, outcome.ours.missed],
        "false_hosts": outcome.false_hosts,
        "delays": [None if math.isinf(delay) else delay for delay in outcome.delays.seconds],
    }


if __name__ == "__main__":
    sys.exit(main())
