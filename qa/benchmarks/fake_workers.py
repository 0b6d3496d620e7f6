"""Many workers in one process, whose clients are made up: all that loads is their questions.

    python3 fake_workers.py COUNT CONF KEYRING

They are the module's own agents, each on a connection of its own, until stdin ends. Prints a line
once all are connected, and at the end the seconds by which each start was late, as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
import uuid
from typing import Any

from perf_bench.clients import agent, connect
from perf_bench.version import VERSION

NAME = "client.perf-bench-worker"
BEGUN: list[float] = []


class MadeUp:
    """In place of ``Clients``: a row a second for each."""

    def __init__(
        self, order: Any, numbers: Any, _access: Any, tell: Any, check: Any, ahead: float
    ) -> None:
        self._order, self._numbers = order, numbers
        self._tell, self._check = tell, check
        self._ahead = ahead

    def run(self) -> None:
        began = time.monotonic()
        BEGUN.append(began)
        for second in range(1, self._order.seconds + 1):
            while time.monotonic() < began + second:
                self._check()
                time.sleep(0.2)
            for number in self._numbers:
                self._tell({"client": number, "row": [second, 100 * second, 0.0123456]})
        for number in self._numbers:
            run = {
                "op_size": self._order.size,
                "seconds": float(self._order.seconds),
                "operations": 100 * self._order.seconds,
                "mean_latency": 0.0123456,
                "min_latency": 0.01,
                "max_latency": 0.1,
                "started_at": began + self._ahead,
                "prefix": "benchmark_data_none",
            }
            self._tell({"client": number, "run": run})


def _serve(name: str, conf: str, keyring: str, connected: threading.Semaphore) -> None:
    registration = {"host": f"host-{name}", "version": VERSION, "instance": uuid.uuid4().hex[:12]}

    def say(line: str) -> None:
        if line == "ready":
            connected.release()
        elif not line.startswith((name, "run ")):
            print(f"{name}: {line}", file=sys.stderr, flush=True)

    connect.serve(name, registration, NAME, conf, keyring, say)


def main(count: int, conf: str, keyring: str) -> None:
    """Run them until stdin ends."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    agent.Clients = MadeUp  # type: ignore[assignment,attr-defined]
    connected = threading.Semaphore(0)
    for number in range(count):
        words = (f"fake-{number:02d}", conf, keyring, connected)
        threading.Thread(target=_serve, args=words, daemon=True).start()
    for _ in range(count):
        connected.acquire()
    print("connected", flush=True)
    sys.stdin.read()
    print(json.dumps(sorted(BEGUN)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
