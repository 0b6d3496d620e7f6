"""What workers cost: clients on one beside as many `rados bench` by hand, and their questions."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from typing import IO, Any, cast

from cluster.daemons import environment, process_of
from cluster.errors import ClusterError
from cluster.faults import active_mgr
from cluster.namespaces import REPO, inside
from cluster.waiting import wait_for
from scenarios.workers import WorkerHost, keyring, working

from .bed import Bed
from .clients import beside_hand, by_round
from .figures import Figure, Target

_NAME = "bench"
_PATIENCE = 30.0
_CROWD = 50
_CROWD_SCRIPT = Path(__file__).with_name("fake_workers.py")
_OTHER = "balancer status"
_SECONDS, _PAUSE = 40.0, 0.08
# Until all that comes with a start is over.
_SETTLE = 15.0
# A tenth of what 50 clients that ask `status` once a second took on 16.2.15.
_IDLE = Target(high=0.023)


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """The ratio of bandwidth on a worker to by hand; what the questions of many cost the mgr."""
    with working(WorkerHost(bed.cluster, _NAME)):
        _await_ready(bed, 1)
        found = beside_hand("on a worker", lambda: by_round(bed, workers=_NAME), bed, pairs, say)
    return [found, *crowd(bed, say)]


def crowd(bed: Bed, say: Callable[[str], None]) -> list[Figure]:
    """Load of the mgr, and time of another module's command, without workers and with many."""
    keyring(bed.cluster)
    time.sleep(_SETTLE)
    before = _measured(bed, _SECONDS)
    say(f"without workers: {before}")
    with _fake_workers(bed) as (orders, answers):
        _await_ready(bed, _CROWD)
        time.sleep(_SETTLE)
        idle = _measured(bed, _SECONDS)
        say(f"{_CROWD} idle: {idle}")
        shown, running = _in_a_round(bed)
        say(f"{_CROWD} in a round: {running}")
        orders.close()
        begun = json.loads(answers.read())
    spread = begun[-1] - begun[0]
    late = max(part["late_seconds"] for part in shown["workers"])
    return [
        *_figures("without workers", before, before),
        *_figures(f"{_CROWD} idle workers", idle, before, _IDLE),
        *_figures(f"{_CROWD} workers in a round", running, before),
        Figure("from the first start to the last", spread, "s", Target(high=0.05)),
        Figure("most by which a worker was late", late, "s", Target(high=0.05)),
    ]


@dataclass(frozen=True)
class _Load:
    """Of the mgr: share of a core; seconds that another module's command takes."""

    cpu: float
    p50: float
    p99: float


def _figures(
    name: str, load: _Load, before: _Load, target: Target | None = None
) -> Iterator[Figure]:
    more, detail = load.cpu - before.cpu, asdict(load)
    yield Figure(f"ceph-mgr, {name}", load.cpu, "cores", detail=detail)
    if load is not before:
        yield Figure(f"ceph-mgr, more than without, {name}", more, "cores", target)
    note = f"p99 {1000 * load.p99:.1f} ms"
    yield Figure(f"'{_OTHER}', {name}, median", 1000 * load.p50, "ms", note=note)


def _measured(bed: Bed, seconds: float) -> _Load:
    spec = bed.cluster.spec
    process = process_of(spec, f"mgr.{active_mgr(spec)}")
    if process is None:
        raise ClusterError("the active mgr is gone")
    took = []
    before, began = process.cpu_seconds, time.monotonic()
    while time.monotonic() < began + seconds:
        asked = time.monotonic()
        bed.link.mgr(_OTHER)
        took.append(time.monotonic() - asked)
        time.sleep(_PAUSE)
    share = (process.cpu_seconds - before) / (time.monotonic() - began)
    parts = quantiles(took, n=100)
    return _Load(share, parts[49], parts[98])


def _in_a_round(bed: Bed) -> tuple[dict[str, Any], _Load]:
    words = {"threads": 1, "size": "4K", "repeats": 1, "seconds": int(_SECONDS) + 30}
    number = bed.ask("round start", profile="rados-write", workers="all", clients=_CROWD, **words)
    time.sleep(_SETTLE)
    load = _measured(bed, _SECONDS)
    while bed.ask("status")["active_round"] is not None:
        time.sleep(1.0)
    shown = bed.ask("round show", id=str(number["id"]))
    if shown["state"] != "done":
        raise ClusterError(f"the round of made-up clients is {shown['state']}: {shown['reasons']}")
    return shown, load


@contextmanager
def _fake_workers(bed: Bed) -> Iterator[tuple[IO[str], IO[str]]]:
    spec = bed.cluster.spec
    key = keyring(bed.cluster)
    words = [str(_CROWD_SCRIPT), str(_CROWD), str(spec.conf), str(key)]
    command = ["env", f"PYTHONPATH={REPO}/mgr_module", "/usr/bin/python3", *words]
    with subprocess.Popen(
        inside(spec, command, shown=[str(REPO)]),
        env=environment(spec),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        answers = cast("IO[str]", process.stdout)
        try:
            if not answers.readline():
                raise ClusterError("the workers could not connect")
            yield cast("IO[str]", process.stdin), answers
        finally:
            process.kill()


def _await_ready(bed: Bed, count: int) -> None:
    # One that ended is listed, too.
    wait_for(
        lambda: (
            [one["state"] for one in bed.ask("worker ls", limit=2 * _CROWD)].count("ready") >= count
        ),
        _PATIENCE,
        lambda: f"{count} workers were not ready",
        every=0.5,
    )
