"""A cluster that a user of the tab may meet: rounds, a slow OSD, a shelf with faults, schedules.

All of it is made by the module itself on the fakes of tests/lib, so that every answer is one that
the module gives. Times are the fakes' own, and the same in each run.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.simulate import waves_of_samples
from factory import document, shelf
from fakes.cluster import FakeCluster
from fakes.commands import Act, answers
from fakes.counters import AVERAGES, CLIENT_WRITES
from fakes.loads import steady
from fakes.operation_dumps import IDLE, FakeOperationDumps
from nouns import an_osd
from operations import STALLED, recorded
from past import api_of, lookout_of
from perf_bench.answers import dashboard
from perf_bench.bench.compare.summary import summarize
from perf_bench.bench.plan.osds import Last, prepare
from perf_bench.model.doctor_snapshot import OsdDetails, Setting
from perf_bench.model.osd import Member, Osd
from perf_bench.model.plan import MIB, BenchAnswer, Request, Step, profile_named
from perf_bench.model.rados import ClientRun, LoadOrder, Worker, WorkerState
from perf_bench.model.round import OsdResult, Round, RoundState
from perf_bench.store.sqlite import Store
from roles import ADMINISTRATOR
from stage import Stage

RELEASE = "20.2.4 tentacle"
SHELF = "0x5000c500a1b2c3d4"
# The OSD that gets slow, and how many of them rounds measure where there are many rounds.
SLOW, MEASURED = 4, 40
_HOUR = 3600.0
# From so many OSDs on hosts are larger, and so many of them have a shelf.
_MANY, _SHELVES = 100, 30
_MCLOCK = "osd_mclock_max_capacity_iops_hdd"
_RATES = {"osd-iops": 0.01, "osd-balanced": 0.3}


class Outcome(NamedTuple):
    """An answer of the REST API; ``total`` of a list."""

    status: int
    body: Any
    total: int | None = None


def backend(name: str) -> ModuleType:
    """A part of the dashboard's back end that knows no web server, from where it is installed."""
    path = Path(__file__).resolve().parents[2] / "dashboard_plugin" / "backend" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_ROUTES: Sequence[dict[str, Any]] = backend("_perf_bench_routes").ROUTES
_WEB = backend("_perf_bench_ask")


def disk(number: int, per_host: int = 4) -> Osd:
    """One of several disks of a host; racks of three hosts."""
    host = number // per_host
    name = f"sd{chr(97 + number % per_host)}"
    return an_osd(
        number,
        f"host-{host}",
        devices=name,
        data_device=name,
        model="ACME_HD18",
        rotational=True,
        device_id=f"ACME_HD18_ZX{number:06d}",
        location={"host": f"host-{host}", "rack": f"rack-{host // 3}", "root": "default"},
    )


class Simulated(Stage):
    """A mgr of a cluster of so many OSDs, whose watch has seen nothing yet."""

    def __init__(self, path: Path, osds: int = 12, began: float = 0.0) -> None:
        """``began`` is how much later than the fakes' own day it begins, in seconds."""
        per_host = 4 if osds < _MANY else 20
        super().__init__(path, FakeCluster(disk(number, per_host) for number in range(osds)))
        self.clock.set_by(began)
        self.cluster.facts["release"] = RELEASE
        # One at a time, so that the time that passes is the same in each run.
        self.max_parallel = 1
        members = [Member(osd, "20.2.4") for osd in self.cluster.osds()]
        self.lookout = lookout_of(self, members)
        stalled = recorded("tentacle", STALLED)
        dumps = {osd.id: stalled.get(osd.id, IDLE) for osd in self.cluster.osds()}
        self.api = api_of(self, self.lookout, FakeOperationDumps(dumps), RELEASE)
        self.pgs = self.lookout.pgs
        self.pgs.doing = (310.0, 140.0, 12.0 * MIB, 7.0 * MIB, 0.0, 1.0)
        self.wake()
        self.sweep()

    # --- what the tab asks -------------------------------------------------------------------

    def ask(self, method: str, path: str, given: dict[str, Any]) -> Outcome:
        """The answer to a question of the REST API, as the dashboard's back end gives it."""
        # "osd/map" before "osd/ID"
        for route in sorted(_ROUTES, key=lambda one: "ID" in one["path"].split("/")):
            found = _fits(route["path"], path)
            if route["method"] == method and found is not None:
                by = dict.fromkeys(route["session"], "admin")
                arguments = {**given, **found, **by}
                return Outcome(*_WEB.ask(self._remote, route["question"], arguments, {}))
        return Outcome(404, {"detail": f"no route {method} {path}"})

    def _remote(self, question: str, given: dict[str, Any], _rights: object) -> dict[str, Any]:
        return dashboard.answer(self.api, question, given, ADMINISTRATOR)

    def does(self, path: str, **given: Any) -> Any:
        """Change something as the tab does. Raises ValueError where it is refused."""
        outcome = self.ask("POST", path, given)
        if outcome.status != 200:
            raise ValueError(outcome.body)
        return outcome.body

    # --- what happens ------------------------------------------------------------------------

    def watches(self, seconds: float) -> None:
        """Let time pass for the watch."""
        self.lookout.passes(seconds)

    def slows(self, osd: int, factor: float) -> None:
        """From now on an OSD's operations take longer, and those of clients wait for it."""
        for name in AVERAGES:
            self.lookout.pulses[osd].latency[name] *= factor
        for pulse in self.lookout.pulses.values():
            pulse.latency[CLIENT_WRITES] = 0.03
        self.pgs.doing = (70.0, 31.0, 3.0 * MIB, 2.0 * MIB, 0.0, 1.0)

    def measures(self, profile: str, scale: float = 1.0, **asked: Any) -> None:
        """A round of the profile, an hour after the one before."""
        self.clock.advance(_HOUR)
        rate = 180.0 * scale * _RATES.get(profile, 1.0)
        self.commands.script = {
            osd.id: [self.acts(rate * (0.5 if osd.id == SLOW else 1) * one) for one in _spread(osd)]
            for osd in self.cluster.osds()
        }
        self.bench.start(Request(profile, **asked))
        self.ended()

    def acts(self, rate: float) -> Act:
        """Report so many MiB/s, and let the time pass that this takes, and 0.25 s more."""
        report = answers(rate * MIB)

        def act(osd: int, step: Step) -> BenchAnswer:
            answer = report(osd, step)
            self.settle()
            self.clock.advance(answer.seconds + 0.25)
            return answer

        return act

    def past(self) -> None:
        """Rounds of each kind, a baseline, schedules, settings that are no good, a shelf."""
        for number, scale in enumerate((1.0, 1.01, 0.99, 1.005, 0.8, 0.81), 1):
            self.measures("osd-throughput", scale, label="new firmware" if number == 5 else "")
        self.does("baseline", id=1)
        self.measures("osd-iops")
        self.measures("osd-balanced", osds="host=host-1")
        self.max_parallel = 4
        self.measures("osd-sandwich", osds="0-3", rest="2s", rests=2)
        self.max_parallel = 1
        self.clock.advance(_HOUR)
        self.loader.runs = [steady(90, 0.178), steady(91, 0.176), steady(89, 0.18)]
        self.bench.start(Request("rados-write", clients=4, threads=16, seconds=6))
        self.ended()
        self.loader.orders.clear()
        self.loader.runs = [_saturating]
        self.bench.start(Request("rados-saturate", clients=4, threads=16, seconds=4))
        self.ended()
        self.does("schedule", name="nightly", profile="osd-throughput", every="1d")
        self.does("schedule", name="old-disks", profile="osd-iops", every="7d", osds="host=host-2")
        self.does("schedule/old-disks/pause")
        self.equips()

    def equips(self) -> None:
        """Facts of hosts, settings, workers and mClock's capacities."""
        osds = {
            osd.id: OsdDetails(osd, release="20.2.4", pgs=60 + osd.id % 7)
            for osd in self.cluster.osds()
        }
        mclock = {"osd_op_queue": "mclock_scheduler", _MCLOCK: "315.0"}
        loud, wild = Setting("osd", "", "debug_osd", "20/20"), Setting("osd.1", "", _MCLOCK, "9000")
        self.charts.change = {
            "osds": osds,
            "options": {"hdd": mclock, "ssd": mclock},
            "settings": [loud, wild],
        }
        self.settings.values.update({f"config/osd.{osd}/{_MCLOCK}": None for osd in osds})
        hosts = 1 if len(self.cluster.osds()) < _MANY else _SHELVES
        for bad in (False, True):
            for number in range(hosts):
                self._tells(number, bad)
            self.clock.advance(_HOUR)
        ready = Worker("a", "node-1", "1.0", "i1", WorkerState.READY, self.clock.now(), 0.01, 0.0)
        lost = replace(ready, id="b", host="node-2", state=WorkerState.LOST, note="no answer")
        self.loader.there = [ready, lost]
        self.settle()
        self.hosts.known()

    def _tells(self, number: int, bad: bool) -> None:
        """Facts of a host; ``bad``: meanwhile its shelf has lost a fan and a path."""
        host, slots = f"host-{number}", 12 if number == 0 else 24
        shelf_id = f"{SHELF[:-4]}{int(SHELF[-4:], 16) + number:04x}"
        own = {osd.id: str(osd.data_device) for osd in self.cluster.osds() if osd.host == host}
        fan = {"type": "cooling", "name": "fan 1", "status": "critical" if bad else "OK"}
        path = {"device": "sdb", "hctl": "0:0:1:0", "state": "active"}
        other = {"device": "sdab", "hctl": "1:0:1:0", "state": "failed" if bad else "active"}
        facts = document(
            host,
            osds=[{"id": osd, "device": name} for osd, name in own.items()],
            enclosures=[shelf(dict(enumerate(own.values())), slots, shelf_id, elements=[fan])],
            multipath=[{"name": "mpathb", "wwid": "35000c5001", "paths": [path, other]}],
            phys=[{"phy": "phy-1:0:3", "device": "sdb", "invalid_dword": 900 if bad else 5}],
            smart=[{"device": "sda", "udma_crc_errors": 0, "pending_sectors": 8 if bad else 0}],
            cpu={"model": "EPYC 9454P", "governor": "powersave", "deepest_cstate": "C6"},
            crc32c={"bytes_per_second": 20e9},
        )
        facts["collected_at"] = _stamp(self.clock.now())
        self.hosts.take(host, json.dumps(facts), self.cluster.osds())
        self.settle()

    def adds_rounds(self, count: int) -> None:
        """Many ended rounds at once, a day apart; the newest ones are of all OSDs."""
        self.store_thread.call(lambda store: self._add(store, count), 600.0)
        self.bench.reread()
        self.settle()

    def _add(self, store: Store, count: int) -> None:
        measured = f"0-{min(MEASURED, len(self.cluster.osds())) - 1}"
        few = prepare(Request("osd-throughput", osds=measured), self.cluster, 64, Last())
        whole = prepare(Request("osd-throughput"), self.cluster, 64, Last())
        for number in range(count):
            made = whole if count - number <= 5 else few
            plan, targets = made.plan, made.targets
            rows = [OsdResult(osd.id, osd.host, osd.device_class, osd.model) for osd in targets]
            samples = [one for wave in waves_of_samples(plan, seed=number) for one in wave]
            found = summarize(plan, rows, samples, profile_named(plan.profile).max_cv_percent)
            began = self.clock.now() - 86_400.0 * (count - number)
            draft = Round(
                id=0,
                profile=plan.profile,
                kind="osd",
                state=RoundState.RUNNING,
                created_at=began,
                started_at=began,
                plan=plan,
                environment=self.cluster.environment(),
                token=f"simulated-{number}",
            )
            round_ = store.add_round(draft, targets)
            store.add_samples(round_.id, samples)
            ended = replace(
                round_,
                state=RoundState.DONE,
                ended_at=began + 600,
                verdict=found.verdict,
                reasons=found.reasons,
                conclusions=found.conclusions,
                summary=found.figures,
            )
            store.end_round(ended, found.results)


def _fits(route: str, path: str) -> dict[str, str] | None:
    """What stands in the place of ID or NAME; None where the path is of another route."""
    parts, given = route.split("/"), path.split("/")
    if len(parts) != len(given):
        return None
    pairs = list(zip(parts, given))
    if any(part != one for part, one in pairs if part not in ("ID", "NAME")):
        return None
    return {part.lower(): one for part, one in pairs if part in ("ID", "NAME")}


def _spread(osd: Osd) -> Sequence[float]:
    """What an OSD's repeats differ by, and it from others."""
    own = 1 + 0.01 * (osd.id % 5 - 2)
    return [own * one for one in (0.991, 1.0, 1.009)]


def _saturating(order: LoadOrder, _ended: object) -> Sequence[ClientRun]:
    """200 operations a second with four in flight, a little more with more of them."""
    in_flight = order.clients * order.threads
    rate = 50.0 * min(in_flight, 4) + min(in_flight, 16) / 4
    return steady(rate / order.clients, in_flight / rate)(order, lambda: False)


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
