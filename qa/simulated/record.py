"""The module's answers as files, for the unit tests of the front end.

Each file is one object: ``at`` is the cluster's time, ``answers`` has by question ("GET osd/4",
with a query where it matters, or "POST round" and a body) the status, the body and the total.
A file besides ``slow`` has only what is other there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import threads
from fakes.commands import Act
from perf_bench.model.plan import BenchAnswer, Step

from .cluster import SHELF, SLOW, Simulated

FOLDER = Path(__file__).resolve().parents[2] / "dashboard_plugin/frontend/src/testing/answers"
_LISTS = (
    *("profile", "round", "osd", "finding", "cohort", "coverage", "alert"),
    *("doctor", "enclosure", "host", "multipath", "crc", "worker", "option", "option/threshold"),
    *("mclock", "baseline", "reference", "schedule"),
)
# What shows how things stand.
_STATE = (
    *("status", "finding", "finding?everything=true", "laggy", "osd", "osd/map", "osd/latency"),
    *("cluster/strip", "finding/kind", "coverage", "doctor", "round", "quiesce"),
    *(
        f"cluster/latency?since=1h&channel={channel}"
        for channel in ("commit", "client_write", "client_read")
    ),
)
_PAGE = {"limit": 500}
ROUNDS = 11
# The finding of the slow OSD: those of the hardware come before it.
FOUND = 4


class Recorder:
    """Asks, and keeps the answers."""

    def __init__(self, cluster: Simulated) -> None:
        self.cluster = cluster
        self.answers: dict[str, Any] = {}

    def gets(self, *paths: str) -> Recorder:
        for path in paths:
            name, _, query = path.partition("?")
            given: dict[str, Any] = dict(pair.split("=") for pair in query.split("&") if pair)
            page = _PAGE if name in _LISTS else {}
            self._ask(f"GET {path}", "GET", name, {**page, **given})
        return self

    def posts(self, path: str, method: str = "POST", **body: Any) -> None:
        """Do something, or be refused it."""
        name = f"{method} {path}" + (f" {json.dumps(body, sort_keys=True)}" if body else "")
        self._ask(name, method, path, body)

    def _ask(self, name: str, method: str, path: str, given: dict[str, Any]) -> None:
        status, body, total = self.cluster.ask(method, path, given)
        self.answers[name] = {"status": status, "body": body, "total": total}

    def write(self, name: str) -> None:
        lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in self.answers.items()]
        answers = ",\n".join(lines)
        text = f'{{"at": {self.cluster.clock.now()}, "answers": {{\n{answers}\n}}}}\n'
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def record(folder: Path) -> None:
    """Write all files; the database is below ``folder``."""
    FOLDER.mkdir(exist_ok=True)
    fresh = Simulated(folder / "fresh.db", osds=6)
    fresh.watches(60)
    Recorder(fresh).gets(*_STATE, *_LISTS).write("fresh")
    fresh.close()
    cluster = Simulated(folder / "main.db")
    cluster.past()
    cluster.watches(4500)
    Recorder(cluster).gets(*_STATE).write("calm")
    cluster.slows(SLOW, 6.0)
    cluster.watches(150)
    Recorder(cluster).gets("status").write("suspect")
    cluster.watches(450)
    slow = Recorder(cluster).gets(*_STATE, *_LISTS, *_details())
    _changes(slow)
    slow.write("slow")
    _running(cluster).write("running")
    cluster.close()


def _details() -> Iterator[str]:
    for number in range(1, ROUNDS + 1):
        yield from (f"round/{number}", f"round/{number}/distribution")
    yield from ("round/1/file?as=csv", f"osd/{SLOW}", "osd/0", f"osd/{SLOW}/why")
    for span in ("1h", "1d"):
        yield from (f"osd/{SLOW}/series?since={span}{of}" for of in ("", "&channel=commit"))
    yield from (
        f"finding/{FOUND}",
        f"finding/{FOUND}/incident",
        "host/host-0",
        f"enclosure/{SHELF}",
    )
    yield from ("profile/history?profile=osd-throughput", "profile/history?profile=osd-iops")
    yield from ("round/compare?a=1&b=6", "round/compare?a=1&b=2", "round/compare?a=1&b=7")
    yield from ("osd/map?profile=osd-iops", "report?since=30d&as=json")
    yield from ("osd/99", "round/99", "finding/99", "host/nobody", "enclosure/0x0")


def _changes(on: Recorder) -> None:
    """What the tab changes, and what is refused."""
    for profile in ("osd-throughput", "rados-write", "rados-saturate"):
        on.posts("round", profile=profile, dry_run=True)
    for wrong in ({"osds": "some"}, {"repeats": 0}, {"label": "x" * 300}):
        on.posts("round", profile="osd-throughput", dry_run=True, **wrong)
    on.posts(f"finding/{FOUND}/mute", **{"for": "1d"})
    on.posts(f"finding/{FOUND}/ack", text="disk ordered")
    on.posts(f"finding/{FOUND}/ack", remove=True)
    on.posts("schedule", name="new", profile="osd-iops", every="6h")
    on.posts("schedule", name="wrong", profile="osd-iops", every="1s")
    on.posts("schedule/nightly/pause")
    on.posts("schedule/nightly/resume")
    on.posts("schedule/new", "DELETE")
    on.posts("mclock/apply")
    on.posts("mclock/restore")
    on.posts("quiesce/restore")
    on.posts("baseline", id=2)
    on.posts("round/import", **{"as": "fio", "results": "{}"})


def _running(cluster: Simulated) -> Recorder:
    """A round of which some samples are there, and which waits for an OSD."""
    steady = cluster.acts(180.0)
    cluster.commands.script = {osd: [steady] for osd in range(12)}
    cluster.commands.script[7] = [steady, _hangs(cluster)]
    found = Recorder(cluster)
    found.posts("round", profile="osd-throughput")
    number = ROUNDS + 1
    threads.until(lambda: cluster.commands.asked.count(7) == 2)
    cluster.clock.advance(45)
    found.gets("status", "round", f"round/{number}", f"round/{number}/live", "quiesce")
    found.posts("round", profile="osd-iops")
    found.posts(f"round/{number}/abort")
    return found


def _hangs(cluster: Simulated) -> Act:
    """Wait until the commands of the round are let go: each round opens its own."""

    def act(osd: int, step: Step) -> BenchAnswer:
        return cluster.commands.hangs(osd, step)

    return act
