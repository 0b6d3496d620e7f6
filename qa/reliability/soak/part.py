"""The part `soak`: 24 OSDs with a steady load, users and a schedule, for two hours in one piece.

Nothing is broken, so no finding is true. What a mgr needs may not grow after the first sixth of the
time: the lower end of the interval of its growth is held against a limit.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from browser.sites import Site
from cluster.api import DevCluster
from cluster.connection import Connection
from cluster.daemons import environment
from cluster.errors import ClusterError
from cluster.namespaces import REPO, inside
from cluster.spec import Order as ClusterOrder
from scenarios.operator import Operator
from scenarios.throwaway import throwaway

from ..trials import Order, Trial
from .growth import LIMITS, POOL, Growth
from .users import Users

OSDS, HOSTS = 24, 6
# Each round of osd-iops leaves 150 MiB more of an OSD to BlueFS, up to about 1 GiB, and none is
# admitted that would make an OSD nearly full.
OSD_BYTES = 5 << 30
_PROGRAM = Path(__file__).with_name("client.py")
_WRITES_A_SECOND = 20.0
LOOK_SECONDS = 10.0
# Also of a short one, so that it has a slope.
_LEAST_LOOKS = 60
_ROUND_SECONDS = 900.0
_SCHEDULE = ("schedule", "add", "soak", "osd-iops", "--every", "15m")
_ENDED = ("done", "aborted")
_OURS = "PERF_BENCH_"
# What is passed over at the begin: caches fill, and the detector learns what is usual.
_WARM_PART = 1 / 6
# Rounds before it, with the users: the threads of the first ones fill what the allocator of the
# mgr keeps of each, ten times as much as later ones (docs/reliability.md). Fewer before a short
# soak.
_ROUNDS_BEFORE, _SECONDS_EACH = 15, 480.0
_BEFORE = "before the soak"
_ROUND = ("osd-iops", "--repeats", "2", "--label", _BEFORE)
_ROUND_LIMIT = 600.0
_MORE_SECONDS = 120.0


def run(order: Order) -> Iterator[Trial]:
    """Boot the cluster and let it work for the time."""
    cluster_order = ClusterOrder(order.release, osds=OSDS, hosts=HOSTS, osd_bytes=OSD_BYTES)
    with throwaway(cluster_order) as cluster, closing(Connection(cluster.spec)) as link:
        operator, site = Operator(cluster), Site(cluster)
        cluster.ceph("osd", "pool", "create", POOL, "64")
        cluster.ceph("osd", "pool", "application", "enable", POOL, "soak")
        operator.sees_it_ready()
        with closing(Connection(cluster.spec)) as typed:
            users = Users(site, typed)
            users.start()
            try:
                for _ in range(min(_ROUNDS_BEFORE, int(order.seconds // _SECONDS_EACH))):
                    operator.sees_the_end_of(operator.starts(*_ROUND), _ROUND_LIMIT)
                operator.asks(*_SCHEDULE)
                found = _soak(order, operator, users, link)
            finally:
                users.stop()
        yield from judged(found, order.seconds)


def _soak(order: Order, operator: Operator, users: Users, link: Connection) -> dict[str, Any]:
    """Everything that was seen; also what was seen before a soak breaks off is kept in a file."""
    cluster = operator.cluster
    growth = Growth(cluster.spec, operator.active_mgr(), link)
    seen = Seen(set(link.mon("health")["checks"]), link)
    client = start_client(cluster, order.seconds, _WRITES_A_SECOND)
    try:
        _look(growth, seen, order.seconds)
    finally:
        users.stop()
        found = {
            "samples": growth.samples,
            "health": seen.health,
            "findings": seen.findings,
            "faults": seen.faults + users.faults,
            "waits": seen.waits,
            "took": users.took,
        }
        (order.folder / f"soak-{order.release}.json").write_text(json.dumps(found))
    out = client.communicate(timeout=_MORE_SECONDS)[0]
    slopes = growth.slopes(_WARM_PART * order.seconds)
    # The schedule has just started one.
    operator.sees("its end", lambda: not operator.asks("status")["active_round"], _MORE_SECONDS)
    rounds = [one for one in operator.asks("round", "ls") if one["label"] != _BEFORE]
    return {**found, "slopes": slopes, "client": json.loads(out), "rounds": rounds}


def _look(growth: Growth, seen: Seen, seconds: float) -> None:
    """Look until the time is over; a look that is not answered is told, and no sample."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            growth.look()
            seen.look()
        except (ClusterError, OSError) as error:
            seen.faults[f"a look: {error}"[:200]] += 1
        time.sleep(min(LOOK_SECONDS, seconds / _LEAST_LOOKS))


class Seen:
    """Findings, and checks of health that were not there at first, each when it was seen first.

    ``waits`` counts by reason the looks at which a round that was due had not started.
    """

    def __init__(self, before: set[str], link: Connection) -> None:
        self._before = before
        self._link = link
        self._began = time.monotonic()
        self.health: dict[str, Any] = {}
        self.findings: dict[str, Any] = {}
        self.faults: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()

    def look(self) -> None:
        minute = round((time.monotonic() - self._began) / 60, 1)
        for code, check in self._link.mon("health", detail="detail")["checks"].items():
            if code not in self._before:
                self.health.setdefault(code, {"minute": minute, "check": check})
        for one in self._link.mgr("perf-bench finding ls"):
            self.findings.setdefault(str(one["id"]), {"minute": minute, "finding": one})
        for one in self._link.mgr("perf-bench schedule ls"):
            self.waits.update((one["waiting"] or {"reasons": ()})["reasons"])


def start_client(cluster: DevCluster, seconds: float, *rates: float) -> subprocess.Popen[str]:
    """A client that writes so many objects a second, each rate for an equal part of the time."""
    words = [str(cluster.spec.conf), POOL, str(seconds), *map(str, rates)]
    argv = inside(cluster.spec, ["python3", str(_PROGRAM), *words], shown=[str(REPO)])
    return subprocess.Popen(
        argv, env=environment(cluster.spec), cwd="/", stdout=subprocess.PIPE, text=True
    )


def judged(found: dict[str, Any], seconds: float) -> Iterator[Trial]:
    """What grew, what was found that is not true, and what was not answered."""
    for what, (each_hour, low, high) in found["slopes"].items():
        values = [value for _, value in found["samples"][what]]
        faults = []
        if low > LIMITS[what]:
            faults = [f"grows by {low:.2f} an hour at least, over {LIMITS[what]:g}"]
        note = (
            f"{each_hour:+.2f} an hour ({low:+.2f} to {high:+.2f}), "
            f"{values[0]:.1f} at first, {values[-1]:.1f} at last"
        )
        yield Trial(what, len(values), seconds, faults, note)
    looks = len(found["samples"][next(iter(LIMITS))])
    yield untrue(found["findings"].values(), found["health"], looks, seconds)
    yield answers(found["took"], found["faults"], seconds)
    yield writes(found["client"], seconds)
    yield _rounds(found["rounds"], found["waits"], seconds)


def untrue(findings: Iterable[Any], health: Mapping[str, Any], looks: int, seconds: float) -> Trial:
    """``findings`` and checks of ours that are not true, as ``Seen`` has them."""
    told = [
        f"minute {one['minute']}: {one['finding']['code']} {one['finding']['target']}"
        for one in findings
    ]
    checks = {
        code: f"minute {one['minute']}: {code}: {one['check']['summary']['message']}"
        for code, one in health.items()
    }
    told += [said for code, said in checks.items() if code.startswith(_OURS)]
    # A round sets flags, of which Ceph tells; a machine may be short of space.
    others = "; ".join(said for code, said in checks.items() if not code.startswith(_OURS))
    return Trial("findings and warnings that are not true", looks, seconds, told, others)


def writes(client: Mapping[str, Any], seconds: float) -> Trial:
    """What the client saw."""
    took = client["took"]
    note = f"{spread(took)}; in the first half {spread(took[: len(took) // 2])}"
    return Trial("writes of a client", len(took), seconds, client["errors"][:5], note)


def _rounds(rounds: Sequence[Any], waits: Mapping[str, int], seconds: float) -> Trial:
    """A round may be ended by the guard, as clients are on the same two cores; it may not fail."""
    states = Counter(one["state"] for one in rounds)
    faults = [f"{count} are {one}" for one, count in states.items() if one not in _ENDED]
    # The one that is due at the very end may be late.
    least = math.ceil(seconds / _ROUND_SECONDS) - 1
    if len(rounds) < least:
        faults.append(f"{len(rounds)} were made, not {least}")
    notes = [f"{count} {state}" for state, count in sorted(states.items())]
    notes += [f"waited at {count} looks: {why}" for why, count in waits.items()]
    return Trial("rounds of the schedule", len(rounds), seconds, faults, ", ".join(notes[:6]))


def answers(
    took: Mapping[str, Sequence[tuple[float, float]]], faults: Mapping[str, int], seconds: float
) -> Trial:
    """What users saw; ``took`` has by question when it was asked and how long it took."""
    waits = [wait for _, wait in sorted(one for asked in took.values() for one in asked)]
    told = [f"{count} times: {said}" for said, count in faults.items()]
    note = f"{spread(waits)}; in the first half {spread(waits[: len(waits) // 2])}"
    return Trial("answers to users", len(waits), seconds, told[:5], note)


def spread(values: Sequence[float]) -> str:
    """Median and p99 in ms."""
    ordered = sorted(values)
    if not ordered:
        return "none"
    p50, p99 = (ordered[min(len(ordered) - 1, int(part * len(ordered)))] for part in (0.5, 0.99))
    return f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms"
