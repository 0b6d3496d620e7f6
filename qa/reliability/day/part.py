"""The part `day`: a day's work on 60 OSDs, squeezed into the time; an hour is 150 s of 60 minutes.

Clients write more by day than by night and users look, while operators do what they do in a day.
One OSD is slow from noon to three: it must be found within what is promised, and nothing else.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from browser.sites import Site
from cluster.connection import Connection
from cluster.daemons import process_of
from cluster.errors import ClusterError
from cluster.spec import Order as ClusterOrder
from scenarios.fingerprint import Daemons, Fingerprints
from scenarios.operator import Operator
from scenarios.throwaway import throwaway

from ..soak.growth import POOL
from ..soak.part import LOOK_SECONDS, Seen, answers, start_client, untrue, writes
from ..soak.users import Users
from ..trials import Order, Trial
from .hours import AFTER, AFTERNOON, FAIL_OVER, MORNING, NOON, RATES, Cluster, Hour

OSDS, HOSTS = 60, 12
# All of it is written to in a day: 120 GiB of sparse files.
_OSD_BYTES = 2 << 30
SLOW = "PERF_BENCH_SLOW_OSD"
# Three of five minutes, and at most a minute until the watch has read them.
PROMISED_SECONDS = 360.0
_MORE_SECONDS = 120.0
_ROW = "what operators do in a day"
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def run(order: Order) -> Iterator[Trial]:
    """Boot the cluster and let a day pass."""
    cluster_order = ClusterOrder(
        order.release, osds=OSDS, hosts=HOSTS, mgrs=2, mons=3, osd_bytes=_OSD_BYTES
    )
    with throwaway(cluster_order) as cluster, closing(Connection(cluster.spec)) as link:
        cluster.ceph("osd", "pool", "create", POOL, "256", "--autoscale-mode=off")
        cluster.ceph("osd", "pool", "application", "enable", POOL, "day")
        slow = random.Random(order.seed).randrange(OSDS)  # noqa: S311
        yield from Day(Cluster(Operator(cluster), link, slow), order).passes()


class Day:
    """What was seen until now; ``minutes`` by hour when its work began, as ``Seen`` counts them."""

    def __init__(self, made: Cluster, order: Order) -> None:
        self._made, self._order = made, order
        self._spec = made.operator.cluster.spec
        self._began = 0.0
        self._looks = 0
        self._took: dict[str, list[tuple[float, float]]] = {}
        self._faults: Counter[str] = Counter()
        self._minutes: dict[float, float] = {}

    def passes(self) -> Iterator[Trial]:
        """Everything that is done, then what was seen meanwhile."""
        made, seconds = self._made, self._order.seconds
        made.operator.sees_it_ready()
        fingerprints = Fingerprints(Daemons(self._spec, made.link))
        before = fingerprints.at_rest()
        with closing(Connection(self._spec)) as link:
            seen = Seen(set(link.mon("health")["checks"]), link)
            client = start_client(made.operator.cluster, seconds, *RATES)
            self._began = time.monotonic()
            with self._watched(seen):
                yield from self._work(MORNING)
            yield self._cost()
            yield from self._work([FAIL_OVER])
            with self._watched(seen):
                yield from self._work(AFTERNOON)
                self._sleep_until(24.0)
        yield from self._judged(seen, client)
        made.operator.sees_it_ready()
        yield Trial("effects after the day", 1, seconds, fingerprints.changed(before))

    def _work(self, hours: Sequence[Hour]) -> Iterator[Trial]:
        for hour in hours:
            self._sleep_until(hour.at)
            began = time.monotonic()
            self._minutes[hour.at] = (began - self._began) / 60
            faults, note = [], ""
            try:
                note = hour.run(self._made)
            except (AssertionError, ClusterError, OSError, subprocess.TimeoutExpired) as error:
                faults = [f"{type(error).__name__}: {error}"]
            yield Trial(hour.what, 1, time.monotonic() - began, faults, note, _ROW)

    def _sleep_until(self, hour: float) -> None:
        due = self._began + hour / 24 * self._order.seconds
        time.sleep(max(0.0, due - time.monotonic()))

    @contextmanager
    def _watched(self, seen: Seen) -> Iterator[None]:
        """Users and looks go on meanwhile; another mgr has another dashboard."""
        with closing(Connection(self._spec)) as typed:
            users = Users(Site(self._made.operator.cluster), typed)
            stop = threading.Event()
            looking = threading.Thread(target=self._look, args=(seen, stop))
            looking.start()
            users.start()
            try:
                yield
            finally:
                stop.set()
                looking.join()
                users.stop()
                self._faults.update(users.faults)
                for question, asked in users.took.items():
                    self._took.setdefault(question, []).extend(asked)

    def _look(self, seen: Seen, stop: threading.Event) -> None:
        while not stop.wait(LOOK_SECONDS):
            try:
                seen.look()
                self._looks += 1
            except (ClusterError, OSError) as error:
                self._faults[f"a look: {error}"[:200]] += 1

    def _cost(self) -> Trial:
        """Processor time and memory of the active mgr; told, not judged."""
        process = process_of(self._spec, f"mgr.{self._made.operator.active_mgr()}")
        if process is None:
            raise AssertionError("no mgr runs")
        proc = Path(f"/proc/{process.pid}")
        fields = (proc / "stat").read_text().rpartition(")")[2].split()
        up = float(Path("/proc/uptime").read_text().split()[0])
        used = (int(fields[11]) + int(fields[12])) / _TICKS
        lived = up - int(fields[19]) / _TICKS
        memory = int((proc / "statm").read_text().split()[1]) * _PAGE >> 20
        note = f"{used / lived:.1%} of a core over {lived / 60:.0f} min, {memory} MiB"
        return Trial("cost of the active mgr with all its modules", 1, lived, note=note)

    def _judged(self, seen: Seen, client: subprocess.Popen[str]) -> Iterator[Trial]:
        seconds = self._order.seconds
        out = json.loads(client.communicate(timeout=_MORE_SECONDS)[0])
        kept = {"findings": seen.findings, "health": seen.health, "took": self._took, "client": out}
        (self._order.folder / f"day-{self._order.release}.json").write_text(json.dumps(kept))
        true, others = told_apart(seen.findings.values(), self._made.slow)
        # Ours are told as findings, and a check cannot be told apart by its OSD.
        health = {code: one for code, one in seen.health.items() if not (true and code == SLOW)}
        yield found(true, self._minutes[NOON], self._minutes[AFTER])
        yield untrue(others, health, self._looks, seconds)
        yield answers(self._took, self._faults, seconds)
        yield writes(out, seconds)


def told_apart(findings: Iterable[Any], slow: int) -> tuple[list[Any], list[Any]]:
    """Of what ``Seen`` has: findings about the slow OSD, and others."""
    target = {"kind": "osd", "id": str(slow)}
    true: list[Any] = []
    others: list[Any] = []
    for one in findings:
        about = (one["finding"]["code"], one["finding"]["target"])
        (true if about == (SLOW, target) else others).append(one)
    return true, others


def found(true: Sequence[Any], began: float, ended: float) -> Trial:
    """The slow OSD, which was slow between these minutes, within what is promised."""
    faults, note = [], ""
    if (ended - began) * 60 < PROMISED_SECONDS:
        note = "not slow for long enough to be found"
    elif not true:
        faults = ["not found"]
    else:
        took = (true[0]["minute"] - began) * 60
        note = f"after {took:.0f} s"
        if not 0 < took <= PROMISED_SECONDS:
            faults = [f"found after {took:.0f} s, not within {PROMISED_SECONDS:g}"]
    return Trial("the slow OSD is found", 1, (ended - began) * 60, faults, note)
