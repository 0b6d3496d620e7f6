"""What may not grow: looked at every some seconds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from cluster.connection import Connection
from cluster.daemons import process_of
from cluster.spec import Spec

from .slope import Slope, slope

POOL = "clients"
# By figure the growth in an hour from which on it is a fault. 2 MiB an hour are 1.4 GiB in the
# month between two restarts. All lines are those of the mgr (`pgmap` every 2 s), of requests and
# commands of users here, and ours.
LIMITS: Mapping[str, float] = {
    "memory of the mgr, MiB": 2.0,
    "threads of the mgr": 0.2,
    "descriptors of the mgr": 0.5,
    "database, MiB": 2.0,
    "lines of ours in the mgr's log": 60.0,
    "lines in the mgr's log": 12000.0,
}
_OURS = b"[perf_bench "


class Growth:
    """Samples of one mgr that stays active."""

    def __init__(self, spec: Spec, mgr: str, link: Connection) -> None:
        """Raises AssertionError if the mgr does not run."""
        process = process_of(spec, f"mgr.{mgr}")
        if process is None:
            raise AssertionError(f"mgr.{mgr} does not run")
        self._process = process
        self._spec, self._link = spec, link
        self._log = spec.log(f"mgr.{mgr}")
        self._read = 0
        self._lines = self._ours = 0
        self.samples: dict[str, list[tuple[float, float]]] = {what: [] for what in LIMITS}

    def look(self) -> None:
        """Add a sample of each. Raises AssertionError if the mgr is another process now."""
        if not self._process.alive:
            raise AssertionError("the mgr is another process now")
        proc = Path(f"/proc/{self._process.pid}")
        fields = dict(
            line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line
        )
        self._count()
        now = (
            int(fields["VmRSS"].split()[0]) / 1024,
            int(fields["Threads"]),
            sum(1 for _ in (proc / "fd").iterdir()),
            self._stored() / (1 << 20),
            self._ours,
            self._lines,
        )
        at = time.monotonic()
        for what, value in zip(LIMITS, now):
            self.samples[what].append((at, float(value)))

    def slopes(self, warm: float) -> dict[str, Slope]:
        """Of the samples after the first ``warm`` seconds."""
        return {
            what: slope([one for one in found if one[0] >= found[0][0] + warm])
            for what, found in self.samples.items()
        }

    def _count(self) -> None:
        with self._log.open("rb") as log:
            log.seek(self._read)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        lines = whole.splitlines()
        self._lines += len(lines)
        self._ours += sum(_OURS in line for line in lines)

    def _stored(self) -> int:
        """Bytes in the pools of the mgr's modules."""
        pools = self._link.mon("df")["pools"]
        return sum(pool["stats"]["stored"] for pool in pools if pool["name"] != POOL)
