"""The cluster of trials: what is looked at to see a step, and what must hold after a fault."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from cluster.api import DevCluster
from cluster.connection import Connection
from cluster.crashes import crashes
from cluster.daemons import tail
from cluster.errors import ClusterError
from cluster.processes import carrying
from cluster.spec import Order as ClusterOrder
from cluster.waiting import within
from perf_bench.model.finding_kinds import OSD_FLAPPING
from perf_bench.model.osd import BENCH_LARGE_MAX_THROUGHPUT
from perf_bench.model.plan import BenchLimits
from scenarios.fingerprint import JOURNAL, Daemons, Fingerprint, Fingerprints
from scenarios.operator import FAILOVER_SECONDS, Operator
from scenarios.played import shelf
from scenarios.throwaway import throwaway
from scenarios.workers import WorkerHost, keyring, states_of

from .steps import FLAGS, WORKERS

_PROGRAMS = b"perf_bench.programs."
_ENDED = ("done", "aborted", "failed")
_FINDING = "PERF_BENCH_MULTIPATH_DEGRADED"
# What Ceph 20's dashboard writes down when a user logs in.
_OF_OTHERS = ("config dump: mgr mgr/dashboard/MULTICLUSTER_CONFIG *",)
# Helpers wait five seconds between two looks.
_ORPHAN_SECONDS = 60.0
_HEALTH_SECONDS = 90.0
# Recovery of small objects waits 0.1 s for each on disks, and no round starts before it is over.
_RECOVERY_SECONDS = 600.0
# What a mgr closed whose clock was ahead opens again at the next look of its detector.
_REOPENED_SECONDS = 30.0
# By less than this no clock is ahead: one that is ahead for an hour closes findings of that hour.
_AHEAD_SECONDS = 300.0
# What a bench writes instead of 1 GiB, which would take processors and disk for no more steps.
_BENCH_BYTES = 300 << 20
# Between two looks at what is asked over the connection.
_LOOK_SECONDS = 0.1
# Enough for a bench; rounds fill an OSD's file bit by bit, and several clusters may stand at once.
_OSD_BYTES = 3 << 30


@dataclass(frozen=True)
class Before:
    """What must be as it was after a fault."""

    effects: Fingerprint
    findings: Mapping[int, Any]
    health: frozenset[str]


class Bed:
    """One cluster with three mons, two workers and a finding that is muted and acknowledged."""

    def __init__(self, operator: Operator, link: Connection) -> None:
        self.operator = operator
        self.workers = [WorkerHost(operator.cluster, name) for name in WORKERS]
        self.cluster = operator.cluster
        self.link = link
        self.fingerprints = Fingerprints(Daemons(self.cluster.spec, link))
        self._old: set[str] = set()
        self._logs: dict[Path, int] = {}

    # --- what is looked at to see a step ----------------------------------------------------------

    def active(self) -> dict[str, Any]:
        return self._status()["active_round"] or {}

    def watch(self) -> dict[str, Any]:
        found: dict[str, Any] = self._status()["watch"]
        return found

    def _status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.link.mgr("perf-bench status")
        return found

    def sees_calm(self, seconds: float) -> bool:
        """Wait until a mgr answers that runs no round and has its database; False if none does.

        It is asked over one connection, which costs a tenth of a typed command.
        """

        def calm() -> bool:
            with suppress(ClusterError):  # no mgr, or one that has not loaded us yet
                status = self._status()
                return bool(status["store"]["ready"]) and not status["active_round"]
            return False

        return bool(within(calm, seconds, _LOOK_SECONDS))

    def journal(self) -> Sequence[str]:
        return sorted(set(self.link.mon("config-key dump", key=JOURNAL).values()) - self._old)

    def flags(self) -> int:
        flags = self.link.mon("osd dump")["flags"].split(",")
        return sum(flag in flags for flag in FLAGS)

    def busy(self) -> int:
        try:
            found = self.link.mgr("perf-bench worker ls")
        except ClusterError:  # this mgr does not know them yet
            return 0
        return sum(one["state"] == "busy" for one in found)

    def tick_begins(self, part: float) -> bool:
        first = self.watch()
        seconds = first["tick_seconds"]
        if not within(
            lambda: self.watch()["last_tick_at"] != first["last_tick_at"], 3 * seconds, 0.02
        ):
            return False
        time.sleep(part * seconds)
        return True

    # --- before a fault ---------------------------------------------------------------------------

    def rest(self) -> Before:
        """Wait until nothing is held; what was before is forgotten."""
        self.operator.sees_it_ready()
        effects = self.fingerprints.at_rest()
        self._old = set(self.link.mon("config-key dump", key=JOURNAL).values())
        self._logs = {path: path.stat().st_size for path in self._mgr_logs()}
        return Before(effects, self.findings(), frozenset(self.health()))

    def findings(self) -> dict[int, Any]:
        """What is kept of each finding: what it is about, since when, and what users noted.

        Without flapping OSDs: the host that went down together is none after one more OSD did.
        """
        kept = ("code", "target", "first_seen", "muted_until", "acknowledged")
        found = [
            one
            for one in self.link.mgr("perf-bench finding ls")
            if one["code"] != OSD_FLAPPING.code
        ]
        return {one["id"]: {name: one[name] for name in kept} for one in found}

    def sees_workers(self) -> None:
        """Wait until they are ready. One that gave up is started again, as its unit would be."""

        def ready() -> bool:
            self.workers = [
                one if one.runs else WorkerHost(self.cluster, one.name) for one in self.workers
            ]
            return set(states_of(self.operator, *WORKERS)) == {"ready"}

        self.operator.sees("workers", ready)

    def _in_another(self, was: Any) -> bool:
        """Whether an open finding of its kind names its OSD: a shared cause is told once."""
        kind, osd = was["target"]["kind"], was["target"]["id"]
        return kind == "osd" and any(
            one["code"] == was["code"] and int(osd) in one["evidence"].get("osds", ())
            for one in self.link.mgr("perf-bench finding ls")
        )

    def _findings_again(self, before: Mapping[int, Any]) -> dict[int, Any]:
        """All findings, once those from before are there as they were, or after a while."""
        within(lambda: before.items() <= self.findings().items(), _REOPENED_SECONDS, 1.0)
        return self.findings()

    def _closed_ahead(self, number: int) -> bool:
        """Whether a mgr closed it whose clock was ahead, by which what it knew was old."""
        shown = self.operator.types("finding", "show", str(number), "--format", "json")
        closed = json.loads(shown.out)["closed_at"] if shown.code == 0 else None
        return closed is not None and unix_of(closed) > time.time() + _AHEAD_SECONDS

    def _finding(self, number: int) -> str:
        return self.operator.types("finding", "show", str(number), "--format", "json").out

    def health(self) -> set[str]:
        return set(self.link.mon("health")["checks"])

    def labelled(self, label: str) -> list[Any]:
        """The rounds with that label, whole."""
        lines = self.link.mgr("perf-bench round ls", limit=20)
        ids = [one["id"] for one in lines if one["label"] == label]
        return [self.link.mgr("perf-bench round show", id=str(number)) for number in ids]

    # --- after it ---------------------------------------------------------------------------------

    def differs(self, before: Before) -> list[str]:
        """Effects, findings, health, processes and logs: what is not as it was, once it rests."""
        self.sees_calm(FAILOVER_SECONDS)
        self.operator.sees("clean placement groups", self._clean, _RECOVERY_SECONDS)
        self.operator.sees_it_ready(FAILOVER_SECONDS)
        now = self._findings_again(before.findings)
        return [
            *self.fingerprints.changed(before.effects, _OF_OTHERS),
            *(
                f"finding {number} was {was}, is {self._finding(number)}"
                for number, was in before.findings.items()
                if now.get(number) != was
                and (number in now or not (self._in_another(was) or self._closed_ahead(number)))
            ),
            *(f"health differs by {code}" for code in self.health_differs(before.health)),
            *(f"left behind: {one}" for one in self.orphans()),
            *(f"logged: {line.strip()}" for line in self.tracebacks()[:3]),
            *(f"crashed: {one}" for one in self.crashed()),
        ]

    def _clean(self) -> bool:
        states = self.link.mon("status")["pgmap"]["pgs_by_state"]
        return all(one["state_name"].startswith("active+clean") for one in states)

    def orphans(self) -> list[str]:
        """Processes of rounds that are still there when no round runs; waits for their end."""
        within(lambda: not self._of_rounds(), _ORPHAN_SECONDS, 0.5)
        return self._of_rounds()

    def _of_rounds(self) -> list[str]:
        found = []
        for process in carrying(self.cluster.spec.id):
            try:
                words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            is_bench = words[0].endswith(b"rados") and b"bench" in words
            if is_bench or any(word.startswith(_PROGRAMS) for word in words):
                found.append(b" ".join(words).decode(errors="replace")[:120])
        return found

    def health_differs(self, before: frozenset[str]) -> list[str]:
        """Checks that are raised or cleared for good."""
        within(lambda: self.health() == before, _HEALTH_SECONDS, 1.0)
        return sorted(self.health() ^ before)

    def tracebacks(self) -> list[str]:
        """Lines of tracebacks of ours that mgrs have logged since ``rest``."""
        found = []
        for path in self._mgr_logs():
            with path.open(errors="replace") as log:
                log.seek(self._logs.get(path, 0))
                found += [line for line in log if 'File "' in line and "/perf_bench/" in line]
        return found

    def crashed(self) -> list[str]:
        """Daemons that ended though nobody ended them; the next trial has another cluster."""
        spec = self.cluster.spec
        found = [one for one in crashes(spec) if not one["known"]]
        return [f"{one}\n{tail(spec, one['daemon'])}" for one in found]

    def keep_logs(self, folder: Path) -> Path:
        """Copy what mgrs, monitors and the cluster logged, which goes with the cluster."""
        kept = folder / f"logs-{time.strftime('%H%M%S')}-{self.cluster.spec.carried}"
        kept.mkdir(parents=True)
        for pattern in ("mgr.*", "mon.*", "cluster.log"):
            for path in (self.cluster.spec.dir / "log").glob(pattern):
                shutil.copy(path, kept)
        return kept

    def _mgr_logs(self) -> list[Path]:
        return sorted((self.cluster.spec.dir / "log").glob("mgr.*.log"))


@contextmanager
def bed(release: str, dashboard: bool = False) -> Iterator[Bed]:
    """Boot one, and take it down again."""
    order = ClusterOrder(
        release, osds=6, hosts=3, mgrs=2, mons=3, dashboard=dashboard, osd_bytes=_OSD_BYTES
    )
    with throwaway(order) as cluster:
        keyring(cluster)
        with closing(Connection(cluster.spec)) as link:
            made = Bed(Operator(cluster), link)
            if not dashboard:
                _leave_out_modules(cluster)
            option = (BENCH_LARGE_MAX_THROUGHPUT, str(_BENCH_BYTES // BenchLimits.duration))
            cluster.ceph("config", "set", "osd", *option)
            # It would be true of OSDs that trials kill again and again, and lasts for hours.
            cluster.ceph("config", "set", "mgr", f"mgr/perf_bench/{OSD_FLAPPING.switch}", "false")
            try:
                _plant_finding(made)
                yield made
            finally:
                for worker in made.workers:
                    worker.kill()


def _leave_out_modules(cluster: DevCluster) -> None:
    """Remove the mgr's modules that are off: every mgr that starts would load them, for seconds."""
    found = cluster.ceph_json("mgr", "module", "ls")
    needed = {*found["always_on_modules"], *found["enabled_modules"]}
    for entry in (cluster.spec.dir / "modules").iterdir():
        if not entry.is_dir() or entry.name in needed:
            continue
        if entry.is_symlink():
            entry.unlink()
        else:
            shutil.rmtree(entry)


def _plant_finding(made: Bed) -> None:
    """A lost path of two drives, as a host tells it."""
    operator = made.operator
    file = made.cluster.spec.dir / "facts.json"
    file.write_text(json.dumps(shelf("host-1", [1, 4], lost=True)), encoding="utf-8")
    made.cluster.ceph("perf-bench", "host", "import", "host-1", "-i", str(file))
    operator.sees_in_health(_FINDING)
    (number,) = (one["id"] for one in operator.asks("finding", "ls") if one["code"] == _FINDING)
    operator.asks("finding", "ack", str(number), "cable ordered", "--by", "alice")
    operator.asks("finding", "mute", str(number), "30d")
    operator.sees_gone_from_health(_FINDING)


def unix_of(shown: str) -> float:
    """Unix seconds of a time as commands print it ("2026-11-25T20:43:53.376Z")."""
    return datetime.fromisoformat(shown.replace("Z", "+00:00")).timestamp()
