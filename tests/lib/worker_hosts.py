"""Workers and the mgr's side, on threads, over one fake RADOS; a script stands for `rados`."""

# Our modules that know RADOS can be imported only while the fake one is in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Optional

import threads
from fakes.meeting import Meeting
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import LoadOrder
from perf_bench.model.worker import NAMESPACE, WorkerState, secret_key
from perf_bench.version import VERSION

if TYPE_CHECKING:
    from perf_bench.loadgen.workers.agent import WorkerAgent
    from perf_bench.loadgen.workers.coordinator import Coordinator

DATA = Path(__file__).parents[1] / "loadgen" / "data" / "rados_bench" / "reef"
ORDER = LoadOrder("perf_bench", "round-1", "write", 2, 3, 4, 65536, 50, ("a", "b"))
# Far longer than a test: leases run out where a test moves the clock, not where a machine is busy.
LEASE = 300.0
PATIENCE = 60.0
FAST = f"cat {DATA}/write-text.txt"
ENDLESS = f"head -8 {DATA}/write-long-text.txt; exec sleep 60"


def clock(time_of_day: Callable[[], float]) -> SimpleNamespace:
    """A clock in place of ``time``, with a time of day of its own."""
    return SimpleNamespace(monotonic=time.monotonic, sleep=time.sleep, time=time_of_day)


class Clock:
    """The monotonic clock of both sides, in place of ``time``; moved ahead by tests.

    It also moves while the mgr's side waits for workers that it has dismissed or that are cut off:
    those waits end with a lease. Each step waits for the threads of the workers, as long as a busy
    machine lets them take: all others have renewed their lease and were heard since the step
    before, and those whose lease is over have ended their clients.
    """

    def __init__(self) -> None:
        self.ahead = 0.0
        self.step = 0.0
        self.moved_at = 0.0
        self.followed: Callable[[], bool] = lambda: True
        self.expired_ended: Callable[[], bool] = lambda: True

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        if seconds >= LEASE / 2:  # the rest of a lease
            self.ahead += seconds
            return
        time.sleep(seconds)
        if self.step and self.followed():
            self.ahead += self.step
            self.moved_at = self.monotonic()
            wait_until(self.expired_ended)


class Hosts:
    """The workers of a test, each on threads of its own, with clients that are real processes."""

    def __init__(self, folder: Path) -> None:
        self.meeting = Meeting()
        self.clock = Clock()
        self.folder = folder
        self.said: list[str] = []
        self.clock.followed = self._followed
        self.clock.expired_ended = self._expired_ended
        self._agents: dict[str, WorkerAgent] = {}
        self._coordinator: Optional[Coordinator] = None

    def act(self, script: str) -> None:
        (self.folder / "act").write_text(f"{script}\n")

    def words(self) -> list[str]:
        return sorted((self.folder / "words").read_text().splitlines())

    def clients(self) -> list[str]:
        """Which of the clients that were started still run."""
        file = self.folder / "pids"
        pids = file.read_text().split() if file.exists() else []
        return [pid for pid in pids if _runs(pid)]

    def worker(
        self, name: str, instance: str = "", version: str = VERSION, secret: Optional[str] = None
    ) -> WorkerAgent:
        """``secret`` is what the monitors hold for it, empty for nothing."""
        from perf_bench.loadgen.workers.agent import WorkerAgent
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        client = self.meeting.client(instance or name)
        known = f"{name:x<32}" if secret is None else secret
        if known:
            self.meeting.keys[secret_key(name)] = known

        @contextmanager
        def place() -> Iterator[RadosChannel]:
            found = RadosChannel(client)  # type: ignore[arg-type]
            yield found
            found.close()

        card = {"id": name, "host": f"host-{name}", "version": version}
        access = {"name": "client.w", "keyring": "/k", "mon_host": "m", "where": "here"}
        made = WorkerAgent({**card, "instance": instance or name}, access, place, self.said.append)
        thread = threading.Thread(target=_served, args=(made,), name="perf-bench-worker")
        thread.start()
        self._agents[instance or name] = made
        wait_until(lambda: any(name == n for _, n in self._cards()))
        return made

    def able(self) -> set[str]:
        """The instances that can answer a call."""
        return set(self._agents) - self.meeting.cut

    def _followed(self) -> bool:
        """Whether all with a link have renewed their lease and were heard since the clock moved."""
        assert self._coordinator is not None
        logs = {log.worker.instance: log for log in self._coordinator._logs}
        for name, agent in self._agents.items():
            run = agent._assignment
            if run is None or run.ended or name in self.meeting.cut:
                continue
            renewed = run._lease_until >= self.clock.moved_at + LEASE
            if run._over or not renewed or logs[name].heard_at < self.clock.moved_at:
                return False
        return True

    def _expired_ended(self) -> bool:
        now = self.clock.monotonic()
        runs = [agent._assignment for agent in self._agents.values()]
        return all(run is None or run.ended or now <= run._lease_until for run in runs)

    def _cards(self) -> list[tuple[str, str]]:
        found = []
        with self.meeting.lock:
            for (space, name, instance), data in self.meeting.values.items():
                if (space, name) == (NAMESPACE, "cards"):
                    found.append((instance, str(json.loads(data)["id"])))
        return found

    def lead(
        self,
        order: LoadOrder,
        ended: Callable[[], bool] = bool,
        heard: Optional[Callable[[Any], None]] = None,
    ) -> list[Any]:
        """What a run told; raises what it raised."""
        from perf_bench.loadgen.workers.coordinator import Coordinator
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        told: list[Any] = []

        def check() -> None:
            if ended():
                raise CommandFailed(125, "the mgr is gone")

        def tell(values: Any) -> None:
            told.append(values)
            if heard is not None:
                heard(values)

        place = RadosChannel(self.meeting.client("mgr"))  # type: ignore[arg-type]
        try:
            self._coordinator = Coordinator(place, tell, check)
            self._coordinator.lead(order)
        finally:
            place.close()
        return told

    def roll(self) -> list[Any]:
        from perf_bench.loadgen.workers.discovery import Discovery
        from perf_bench.loadgen.workers.rados_channel import RadosChannel

        place = RadosChannel(self.meeting.client("mgr"))  # type: ignore[arg-type]
        try:
            return Discovery(place).call()
        finally:
            place.close()

    def states(self) -> list[WorkerState]:
        """The states of all, each after another look at the orders: they answer before it."""
        self.roll()
        return [one.state for one in self.roll()]

    def left(self) -> list[str]:
        """Objects of runs."""
        with self.meeting.lock:
            return [name for _, name in self.meeting.objects if name.startswith("said-")]

    def close(self) -> None:
        self.meeting.cut.clear()
        for agent in self._agents.values():
            agent.leave()
        threads.join("perf-bench-worker")
        threads.join("perf-bench-link")


def _served(worker: WorkerAgent) -> None:
    with suppress(SystemExit):
        worker.serve()


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
