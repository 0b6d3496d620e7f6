"""What a worker costs: its clients beside as many `rados bench` by hand. Pairs, interleaved."""

from __future__ import annotations

import time
from collections.abc import Callable

from cluster.errors import ClusterError
from scenarios.workers import WorkerHost, working

from .bed import Bed
from .clients import beside_hand, by_round
from .figures import Figure

_NAME = "bench"
_PATIENCE = 30.0


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """The median ratio of bandwidth, on a worker to by hand on the same host."""
    with working(WorkerHost(bed.cluster, _NAME)):
        _await_ready(bed)
        return [
            beside_hand("on a worker", lambda: by_round(bed, workers=_NAME), bed, pairs, say),
        ]


def _await_ready(bed: Bed) -> None:
    until = time.monotonic() + _PATIENCE
    while [one["state"] for one in bed.ask("worker ls")] != ["ready"]:
        if time.monotonic() > until:
            raise ClusterError(f"the worker was not ready within {_PATIENCE:.0f} s")
        time.sleep(0.5)
