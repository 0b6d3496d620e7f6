"""The part `load`: 200 REST requests a second and 50 commands at once, on one small mgr.

An answer that refuses (503) is back-pressure and counted; a wrong one, one that does not come and
any other status are faults. Before, the same is done with what is not ours, for a short while: the
dashboard's own requests and commands of another module. What this machine makes of those is what
ours are measured by. Afterwards it is done once more while no OSD answers, and so no database.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from browser.rest import API
from browser.sites import QUICK, Site
from cluster.api import DevCluster
from cluster.daemons import environment
from cluster.namespaces import REPO, inside
from cluster.spec import Order as ClusterOrder
from scenarios.throwaway import throwaway

from ..trials import Order, Trial
from .commands import OTHER

PER_SECOND = 200
AT_ONCE = 50
# Threads of requests: so many may wait for their answers at the same time.
_THREADS = 64
_PROGRAM = Path(__file__).with_name("commands.py")
_BASELINE_SECONDS = 20.0
_STOCK = ("/api/osd", "/api/health/minimal", "/api/summary")
# Ours are to be answered at the rate asked for, or at this part of the rate of the stock ones.
_LEAST_PART = 0.8
_OURS = ("perf-bench status", "perf-bench osd ls", "perf-bench round ls")
# Another module's commands may take this times what they take beside as many of its own, or this
# many seconds, whichever is more.
_TIMES, _SECONDS = 3.0, 2.0
_MORE_SECONDS = 120.0
# How long no OSD answers, and the longest that a command may wait for the database then
# (docs/architecture.md); on Ceph 16 another module's command waits behind it.
_FROZEN_SECONDS = 20.0
_LONGEST = 10.0
Check = Callable[[Any], Any]


def run(order: Order) -> Iterator[Trial]:
    """Boot a cluster with a dashboard and a round, and load it for the time."""
    with throwaway(ClusterOrder(release=order.release, osds=3, hosts=3)) as cluster:
        site = Site(cluster)
        site.is_calm()
        number = site.start(QUICK)
        site.sees_the_end_of(number)
        stock = Requests(site, [(path, bool) for path in _STOCK], _BASELINE_SECONDS)
        alone = _both(cluster, stock, _BASELINE_SECONDS, [OTHER])
        rest = Requests(site, _questions(site, number), order.seconds)
        ours = [*_OURS, f"perf-bench round show id={number}"]
        found = _both(cluster, rest, order.seconds, ours)
        yield rest.trial(stock)
        yield from _judged(found, alone, order.seconds)
        yield _afterwards(site, number)
        asked = Requests(site, _questions(site, number), _FROZEN_SECONDS)
        osds = [f"osd.{osd}" for osd in range(cluster.spec.osds)]
        cluster.fault("pause", *osds)
        try:
            found = _both(cluster, asked, _FROZEN_SECONDS, ours)
        finally:
            cluster.fault("clear", *osds)
        yield frozen(found, asked.told, asked.note)
        site.is_calm()


def _both(cluster: DevCluster, requests: Requests, seconds: float, commands: Sequence[str]) -> Any:
    """Requests and commands at the same time; returns what came of the commands."""
    requests.start()
    try:
        return _commands(cluster, seconds, commands)
    finally:
        requests.join()


def _questions(site: Site, number: int) -> Sequence[tuple[str, Check]]:
    """Paths, and what is right for each: what does not change is compared with before."""
    shown, osds = site.round(number), len(site.admin.get("/osd").json)
    rounds = site.admin.get("/round").json
    return (
        # The database may not have answered in time, which is told.
        (
            f"{API}/status",
            lambda found: found["store"]["rounds"] == len(rounds) or found["store"]["error"],
        ),
        (f"{API}/osd", lambda found: len(found) == osds),
        (f"{API}/round", lambda found: found == rounds),
        (f"{API}/finding", lambda found: isinstance(found, list)),
        (f"{API}/round/{number}", lambda found: found == shown),
    )


class Requests:
    """Requests at their times, whether those before are answered or not."""

    def __init__(self, site: Site, questions: Sequence[tuple[str, Check]], seconds: float) -> None:
        self._site = site
        self._questions = questions
        self._seconds = seconds
        self._lock = threading.Lock()
        self._next = 0
        self._began = self._ended = 0.0
        self._took: list[float] = []
        self._refused = 0
        self._faults: Counter[str] = Counter()
        self._threads = [threading.Thread(target=self._run) for _ in range(_THREADS)]

    def start(self) -> None:
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        self._ended = time.monotonic()

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self._took) / max(self._ended - self._began, self._seconds)

    @property
    def note(self) -> str:
        """Rate and times."""
        return (
            f"{self.rate:.0f} a second answered, {_spread(self._took)}, {self._refused} refused "
            "(503)"
        )

    @property
    def told(self) -> list[str]:
        """The commonest faults of answers."""
        return [f"{count} times: {said}" for said, count in self._faults.most_common(5)]

    def trial(self, stock: Requests) -> Trial:
        """What came of all, against requests that are not ours."""
        own = f"the dashboard's own {stock.rate:.0f} a second, {_spread(stock._took)}"
        note, faults = f"{self.note}; {own}", self.told
        least = _LEAST_PART * min(PER_SECOND, stock.rate)
        if self.rate < least:
            faults.append(f"{self.rate:.0f} a second answered, fewer than {least:.0f}")
        seconds = self._ended - self._began
        return Trial(
            f"REST requests, {PER_SECOND} a second", len(self._took), seconds, faults, note
        )

    def _run(self) -> None:
        while True:
            with self._lock:
                number, self._next = self._next, self._next + 1
            due = self._began + number / PER_SECOND
            # What is not sent by then is not sent: the rate tells.
            if max(due, time.monotonic()) > self._began + self._seconds:
                return
            time.sleep(max(0.0, due - time.monotonic()))
            self._ask(*self._questions[number % len(self._questions)])

    def _ask(self, path: str, right: Check) -> None:
        sent = time.monotonic()
        said = ""
        status = 0
        try:
            reply = self._site.admin.call("GET", path)
            status = reply.status
            if status == 200 and not right(reply.json):
                said = f"GET {path}: a wrong answer: {reply.body[:200]!r}"
            elif status not in (200, 503):
                said = f"GET {path}: status {status}: {reply.body[:200]!r}"
        except (OSError, ValueError) as error:
            said = f"GET {path}: {type(error).__name__}: {error}"
        with self._lock:
            self._took.append(time.monotonic() - sent)
            self._refused += status == 503
            if said:
                self._faults[said] += 1


def _commands(cluster: DevCluster, seconds: float, commands: Sequence[str]) -> Any:
    words = [str(cluster.spec.conf), str(seconds), str(AT_ONCE), *commands]
    argv = inside(cluster.spec, ["python3", str(_PROGRAM), *words], shown=[str(REPO)])
    done = subprocess.run(
        argv,
        env=environment(cluster.spec),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=seconds + _MORE_SECONDS,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    return json.loads(done.stdout)


def _judged(found: Any, alone: Any, seconds: float) -> Iterator[Trial]:
    """Our commands, and those of another module beside them."""
    ours = [one for name, took in found["took"].items() if name != OTHER for one in took]
    errors = [f"{count} times: {said}" for said, count in found["errors"].items()]
    mine = [said for said in errors if f": {OTHER}:" not in said]
    note = f"{_spread(ours)}, {found['refused']} refused (EAGAIN)"
    yield Trial(f"commands, {AT_ONCE} at once", len(ours), seconds, mine, note)
    other, before = sorted(found["took"][OTHER]), sorted(alone["took"][OTHER])
    faults = [said for said in errors if f": {OTHER}:" in said]
    most = max(_TIMES * _quantile(before, 0.99), _SECONDS)
    if _quantile(other, 0.99) > most:
        faults.append(f"p99 of '{OTHER}' was {_quantile(other, 0.99):.2f} s, over {most:.2f} s")
    note = f"{_spread(other)}; beside {AT_ONCE} of its own {_spread(before)}"
    yield Trial("another module's commands meanwhile", len(other), seconds, faults, note)


def frozen(found: Any, told: Sequence[str], note: str) -> Trial:
    """What came of requests and commands while no OSD answered: refused is right, late is not."""
    faults = [*told, *(f"{count} times: {said}" for said, count in found["errors"].items())]
    slowest = {name: max(took) for name, took in found["took"].items()}
    faults += [
        f"'{name}' took {seconds:.1f} s" for name, seconds in slowest.items() if seconds > _LONGEST
    ]
    if not found["refused"]:
        faults.append("no command was refused: the database answered")
    count = sum(map(len, found["took"].values()))
    ours = [one for name, took in found["took"].items() if name != OTHER for one in took]
    told_of = (
        f"{_spread(ours)}, {found['refused']} refused; '{OTHER}' {_spread(found['took'][OTHER])}"
    )
    return Trial(
        "the same while no OSD answers", count, _FROZEN_SECONDS, faults, f"{note}; {told_of}"
    )


def _afterwards(site: Site, number: int) -> Trial:
    """The mgr is as it was: it answers at once, and a round starts and ends."""
    began = time.monotonic()
    reply = site.admin.get(f"/round/{number}")
    answered = time.monotonic() - began
    faults = []
    if reply.status != 200 or answered > 1.0:
        faults.append(f"status {reply.status} after {answered:.1f} s")
    site.is_calm()
    shown = site.sees_the_end_of(site.start(QUICK))
    if shown["state"] != "done":
        faults.append(f"a round after it is {shown['state']}: {shown['reasons']}")
    note = f"answered in {answered:.2f} s"
    return Trial("a round afterwards", 1, time.monotonic() - began, faults, note)


def _quantile(ordered: Sequence[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def _spread(values: Sequence[float]) -> str:
    found = sorted(values)
    return f"p50 {_quantile(found, 0.5):.2f} s, p99 {_quantile(found, 0.99):.2f} s"
