"""The figures of ``qa/benchmarks/run --only detection``, a JSON object a line as they come.

``python -m detector_trials.measure FOLDER``. It needs numpy, so it runs on the gate's Python.
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
from .errors import TraceError

SEED = 1


def main() -> int:
    """Returns 0, or 2 with a sentence when there are no traces."""
    try:
        for line in traces(Path(sys.argv[1])):
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


def _shape(outcome: trials.Outcome) -> dict[str, Any]:
    return {
        "ours": [outcome.ours.found, outcome.ours.false, outcome.ours.missed],
        "false_hosts": outcome.false_hosts,
        "delays": [None if math.isinf(delay) else delay for delay in outcome.delays.seconds],
    }


if __name__ == "__main__":
    sys.exit(main())
