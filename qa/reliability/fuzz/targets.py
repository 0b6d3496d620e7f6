"""What is tried: each target takes one JSON input and raises when it is not answered well.

Answered well is success, or an error of our own family with one sentence. Any other exception is a
fault, as is an answer that is not strict JSON.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, ClassVar

from factory import INTERFACE, document
from fakes.clock import FakeClock
from fakes.settings import FakeKeys, an_access
from past import Past
from perf_bench.answers import dashboard
from perf_bench.answers.command import dispatch
from perf_bench.answers.question import ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS
from perf_bench.bench import osd_benches
from perf_bench.bench import round as round_page
from perf_bench.bench.held import EARLIER_KEYS, KEYS, ROUND, Held
from perf_bench.bench.record import round_from
from perf_bench.clients.coordinator import SETTLE_SECONDS, Coordinator
from perf_bench.errors import CommandFailed, InvalidValue, PerfBenchError
from perf_bench.model.finding import Finding, FindingState, Severity
from perf_bench.model.finding import Target as At
from perf_bench.model.hardware import facts_of
from perf_bench.model.history import WatchBatch
from perf_bench.model.json_fields import FAULTS, document_of, read
from perf_bench.model.phrases import LONGEST_SENTENCE
from perf_bench.model.plan import Schedule, ScheduleState
from perf_bench.model.rados import LoadOrder, LoadSample, checked_numbers
from perf_bench.model.verdict import Episode
from perf_bench.store.rows import round_of, round_row
from perf_bench.version import VERSION
from roles import ADMINISTRATOR

NOW = 1_800_000_000.0
_ORDER = LoadOrder("perf_bench", "round-1", "write", 5, 2, 4, 4096, 0, ("v",))
_HERE = Path(__file__).resolve()
# Commands that are asked of each changed row.
_ASKED = 4
_DATA = _HERE.parents[3] / "tests" / "bench" / "record" / "data"


class Unanswered(Exception):
    """An input was answered, but not as it has to be. ``kind`` groups faults of one cause."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


def check_sentence(text: str) -> None:
    """Raise Unanswered unless the text is a printable sentence of bounded length."""
    if not text.strip():
        raise Unanswered("an error without a sentence")
    if len(text) > LONGEST_SENTENCE:
        raise Unanswered(
            f"a long error as '{text[:12]}'", f"{len(text)} characters: {text[:200]!r}"
        )
    if not text.replace("\n", "").isprintable():
        raise Unanswered("an error that cannot be printed", repr(text[:200]))


def check_json(value: Any) -> None:
    """Raise Unanswered unless the value is JSON that every reader takes."""
    try:
        json.dumps(value, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise Unanswered("an answer that is no JSON", str(error)) from error


class Target:
    """A reader under trial. ``seeds`` are inputs that it takes."""

    name: ClassVar[str]
    # Inputs between two new beginnings.
    renewed: ClassVar[int] = 0

    def seeds(self) -> Iterable[Any]:
        raise NotImplementedError

    def begin(self) -> None:
        """Make what the trials need, anew if there is something already."""

    def end(self) -> None:
        """Remove what ``begin`` made."""

    def trial(self, text: str) -> None:
        """Try one input."""
        try:
            self.read(text)
        except PerfBenchError as error:
            check_sentence(str(error))

    def read(self, text: str) -> None:
        raise NotImplementedError


def _json(text: str) -> Any:
    """The input of a target that takes no text itself; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Facts(Target):
    """Host facts, as text."""

    name = "facts"

    def seeds(self) -> Iterable[Any]:
        return [INTERFACE, document()]

    def read(self, text: str) -> None:
        facts_of(document_of(text, "facts"))


class Imports(Target):
    """Results of fio, elbencho and warp, as text; what is taken is stored and read again."""

    name = "imports"

    def seeds(self) -> Iterable[Any]:
        # fio may print notes before its JSON.
        reports = [path.read_text() for path in sorted(_DATA.glob("fio*.json"))]
        phases = (_DATA / "elbencho-phases.json").read_text().splitlines()
        texts = [*(report[report.index("{") :] for report in reports), *phases]
        return [json.loads(text) for text in texts]

    def read(self, text: str) -> None:
        refused = []
        for tool in ("fio", "elbencho", "warp"):
            try:
                made = round_from(text, tool, "label", "token", NOW)
            except InvalidValue as error:
                refused.append(error)
                continue
            row = {**round_row(made), "id": 1, "waves": json.dumps([()])}
            check_json({key: value for key, value in row.items() if key != "plan"})
            round_of(row)  # type: ignore[arg-type]
        for refusal in refused:
            check_sentence(str(refusal))


class Workers(Target):
    """What a worker sends, the lines of its reports, and the order that it is given."""

    name = "workers"

    def seeds(self) -> Iterable[Any]:
        sender = {"host": "h", "version": VERSION, "instance": "i", "clock": 1.0, "trip": 0.1}
        totals = {"op_size": 4096, "seconds": 5.0, "operations": 9, "mean_latency": 0.1,
                  "min_latency": 0.1, "max_latency": 0.2, "started_at": 1.0,
                  "prefix": "p"}  # fmt: skip
        lines = [
            {"started": 0.1},
            {"client": 0, "row": [1, 2, 0.5]},
            {"client": 1, "run": totals},
            {"errno": 5, "error": "it failed"},
            {"ended": True},
        ]
        report = {**sender, "run": "r", "at": 0, "lines": lines, "leaving": False}
        return [sender, report, *lines, {**asdict(_ORDER), "numbers": [0, 1]}]

    def read(self, text: str) -> None:
        clock = FakeClock()
        coordinator = Coordinator(clock)
        clock.advance(SETTLE_SECONDS)
        run = coordinator.begin(_ORDER)
        answers = []
        for ask in (coordinator.next, coordinator.tell):
            try:
                answers.append(ask("w", text))
            except InvalidValue as refusal:
                check_sentence(str(refusal))
        sender = {"host": "h", "version": VERSION, "instance": "other", "clock": 1.0}
        coordinator.next("v", json.dumps(sender))
        document = _json_or_none(text)
        told = {**sender, "run": run.id, "lines": [document]}
        with suppress(InvalidValue):
            answers.append(coordinator.tell("v", json.dumps(told)))
        rows = [(client, vars(row)) for client, row in run.new_rows()]
        check_json([answers, [vars(one) for one in coordinator.workers()], rows])
        try:
            run.has_ended()
        except CommandFailed as failure:
            check_sentence(str(failure))
        check_json([one.packed() for one in run.results()])
        if isinstance(document, dict):
            numbers = document.pop("numbers", None)
            checked_numbers(numbers, read(LoadOrder, document))


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_KEY = f"{KEYS}/{ROUND}/w"


class Journals(Target):
    """The monitors' keys of changed settings: ``{key: text}``; a document stands for its text."""

    name = "journals"

    def seeds(self) -> Iterable[Any]:
        entry = {"format": 2, "holder": "round 1", "writer": "w.1", "since": 1.0, "until": 2.0,
                 "what": "flag/noscrub", "was": None, "want": "true", "at": 1.0}  # fmt: skip
        change = {"what": "config/osd.1/osd_mclock_max_capacity_iops_hdd", "was": "1", "want": "2",
                  "at": 1.0, "holder": "a", "also": ["3"], "late_until": 0.0}  # fmt: skip
        head = {"format": 2, "holder": "round 1", "writer": "w", "since": 1.0, "until": 1.0}
        earlier = EARLIER_KEYS[ROUND]
        return [
            {_KEY: {"format": 3, "changes": [change]}},
            {f"{earlier}/w.1.000001": entry},
            {f"{earlier}/w.1.000001": entry, f"{earlier}/w.2": {"format": 2, "writer": "w.1"}},
            {f"{earlier}/w.000001": {**head, "changes": [change]}},
        ]

    def read(self, text: str) -> None:
        found = _json(text)
        if not isinstance(found, dict):
            found = {_KEY: text}
        keys = FakeKeys()
        keys.keys = {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in found.items()
        }
        held = Held(ROUND, an_access(keys=keys))
        held.read()
        if held.problem:
            check_sentence(held.problem)
        changes = held.changes
        held.save()
        held.read()
        if held.changes != changes:
            raise Unanswered("what was saved is read as something else")


_VALUE_SEEDS: Mapping[ArgumentKind, Any] = {
    ArgumentKind.TEXT: "x", ArgumentKind.NUMBER: 1, ArgumentKind.FLAG: True,
    ArgumentKind.SIZE: "4M", ArgumentKind.FILE: "{}", ArgumentKind.ROUND_ID: 1,
    ArgumentKind.FINDING_ID: 1, ArgumentKind.OSD_ID: 1,
}  # fmt: skip
_NAMED: Mapping[str, Any] = {
    "profile": "osd-throughput", "osds": "class=hdd&host=host-0", "a": 1, "b": 2, "every": "1d",
    "cron": "0 3 * * 6", "window": "01:00-05:00", "timezone": "Europe/Berlin", "for": "1d",
    "as": "fio",
    "sort": "-osd", "search": "osd", "state": "done", "kind": "osd", "rest": "20m", "size": "1G",
    "pool": "perf_bench", "workers": "all", "host": "host-0", "class": "hdd", "since": "1d",
    "format": "json", "limit": 10, "offset": 1, "name": "nightly", "label": "a label", "solo": "0",
}  # fmt: skip
# What would end the trials' own store, or wait for what the fakes never do.
_LEFT_OUT = {"store reset", "store restore", "store backup"}


def _seed(arguments: Sequence[Any]) -> dict[str, Any]:
    return {one: _NAMED.get(one, _VALUE_SEEDS[kind]) for one, kind in arguments}


class _Asked(Target):
    """Questions to a module on fakes, with rounds in its past."""

    renewed = 20_000

    def begin(self) -> None:
        self.end()
        _quick()
        self._folder = Path(tempfile.mkdtemp(prefix="perf-bench-fuzz-"))
        self.past = Past(self._folder / "main.db")
        fill(self.past)

    def end(self) -> None:
        past = getattr(self, "past", None)
        if past is not None:
            past.close()
            shutil.rmtree(self._folder)

    def _may(self, question: Question, given: Mapping[str, Any]) -> bool:
        """Whether it may be asked: no round runs, each would take seconds."""
        starts = question.name == "round start" and given.get("dry_run") not in (True, "true")
        return question.name not in _LEFT_OUT and not starts


class Rest(_Asked):
    """Bodies and parameters of the REST API."""

    name = "rest"

    def seeds(self) -> Iterable[Any]:
        for question in QUESTIONS:
            if question.rest:
                arguments = [
                    (one.public_name, one.kind)
                    for one in question.arguments
                    if one.rest is not Use.ABSENT
                ]
                yield {"question": question.rest_name, "arguments": _seed(arguments)}

    def read(self, text: str) -> None:
        found = _json(text)
        if not isinstance(found, dict) or not isinstance(found.get("arguments"), dict):
            return
        name, given = str(found.get("question")), found["arguments"]
        question = next((one for one in QUESTIONS if one.rest_name == name), None)
        if question is not None and not self._may(question, given):
            given = {**given, "dry_run": True} if question.name == "round start" else None
        if given is None:
            return
        reply = dashboard.answer(self.past.api, name, given, ADMINISTRATOR)
        check_json(reply)
        if "error" in reply:
            check_sentence(reply["error"]["message"])


class Cli(_Asked):
    """Arguments of commands, as Ceph's own client or any other passes them."""

    name = "cli"

    def seeds(self) -> Iterable[Any]:
        for question in QUESTIONS:
            if question.is_command:
                arguments = [
                    (one.name, one.kind) for one in question.arguments if one.cli is not Use.ABSENT
                ]
                given = _seed(arguments)
                for format_ in ("plain", "json", "yaml"):
                    yield {"prefix": question.name, "format": format_, **given}

    def read(self, text: str) -> None:
        order = _json(text)
        if not isinstance(order, dict):
            return
        question = next((one for one in QUESTIONS if one.name == order.get("prefix")), None)
        if question is None:
            return
        if not self._may(question, order):
            if question.name != "round start":
                return
            order["dry_run"] = True
        file = order.pop("file", "")
        # Ceph's clients check the formats; a number or a list never comes this far.
        format_ = order.get("format")
        order["format"] = format_ if format_ in ("plain", "json", "json-pretty", "yaml") else None
        order["prefix"] = f"perf-bench {question.name}"
        self._asked(order, file if isinstance(file, str) else json.dumps(file))

    def _asked(self, order: Mapping[str, Any], file: str) -> None:
        status, out, error = dispatch(self.past.api, order, file)
        if status:
            check_sentence(error)
        elif order.get("format") in ("json", "json-pretty"):
            _strict(out)
        elif (
            not out.replace("\n", "").isprintable() and order["prefix"] != "perf-bench trace export"
        ):
            raise Unanswered(f"{order['prefix']} prints control characters", repr(out[:200]))


def _strict(out: str) -> None:
    def constant(name: str) -> None:
        raise Unanswered("an answer with a number that is no JSON", name)

    if out.lstrip()[:1] in ("{", "["):
        json.loads(out, parse_constant=constant)
        out.encode("utf-8")


# The tables that are damaged, with their keys.
_TABLES: Sequence[tuple[str, tuple[str, ...]]] = (
    ("rounds", ("id",)),
    ("waves", ("round_id",)),
    ("schedules", ("name",)),
    ("results", ("round_id", "osd")),
    ("samples", ("round_id", "osd", "phase", "repeat")),
    ("loads", ("round_id", "repeat")),
    ("findings", ("id",)),
    ("states", ("name",)),
    ("episodes", ("start",)),
    ("host_facts", ("host",)),
    ("wear", ("round",)),
    ("removed_rounds", ("round_id",)),
    ("spans", ("kind", "key", "level", "start", "since")),
)


_READS: Sequence[Callable[[Any], object]] = (
    lambda store: store.rounds(limit=1000),
    lambda store: store.unfinished(),
    lambda store: store.schedules(),
    lambda store: store.latest(),
    lambda store: store.wear(),
    lambda store: store.retention.removed(1000),
    lambda store: store.watch.findings(),
    lambda store: store.watch.episodes(),
    lambda store: store.watch.state("one"),
    lambda store: store.watch.cluster_spans(3600, 0, 1e12),
    lambda store: store.facts.all(),
)


class Rows(_Asked):
    """One value of one stored row: the database lies in the pool, too.

    ``{"table": 0, "row": 0, "column": "plan", "value": …}``; a value may be ``{"json": …}``, its
    text, ``{"zlib": …}``, the same compressed, or ``{"hex": "…"}``.
    """

    name = "rows"
    renewed = 4_000
    _COMMANDS = (
        "status", "round ls", "round show", "round compare", "round export", "profile history",
        "baseline ls", "schedule ls", "osd ls", "osd show", "finding ls", "laggy ls", "host ls",
        "enclosure ls", "multipath ls", "crc ls", "doctor", "metrics", "mclock ls", "trace export",
        "store check",
    )  # fmt: skip

    def seeds(self) -> Iterable[Any]:
        self.begin()
        with _database(self._folder) as db:
            for number, (table, _) in enumerate(_TABLES):
                rows = db.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608
                for place, row in enumerate(rows[:8]):
                    for column in row.keys():  # noqa: SIM118 - sqlite3.Row
                        yield {
                            "table": number,
                            "row": place,
                            "column": column,
                            "value": _wrapped(row[column]),
                        }
        db.close()
        self.end()
        del self.past

    def read(self, text: str) -> None:
        found = _json(text)
        if not isinstance(found, dict):
            return
        table, place, column = (found.get(key) for key in ("table", "row", "column"))
        if type(table) is not int or type(place) is not int or not 0 <= table < len(_TABLES):
            return
        name, key = _TABLES[table]
        keys = ", ".join(key)
        with _database(self._folder) as db:
            rows = db.execute(f"SELECT * FROM {name} ORDER BY {keys}").fetchall()  # noqa: S608
            if not 0 <= place < len(rows) or column in key or column not in rows[place].keys():  # noqa: SIM118
                return
            row = rows[place]
            where = tuple(row[one] for one in key)
            change = (
                f"UPDATE {name} SET {column} = ? WHERE ({keys}) = ({', '.join('?' * len(key))})"  # noqa: S608
            )
            try:
                db.execute(change, (_unwrapped(found.get("value")), *where))
                db.commit()
            except (sqlite3.Error, OverflowError, UnicodeEncodeError, ValueError, RecursionError):
                db.rollback()
                return
            try:
                self._read_all(where[0], zlib.crc32(text.encode("utf-8", "replace")))
            finally:
                db.execute(change, (row[column], *where))
                db.commit()

    def _read_all(self, number: Any, chance: int) -> None:
        """Read what a start reads, and ask some of the commands that may meet this one."""
        store = self.past.store_thread
        for question in _READS:
            store.call(question)
        for row in store.call(lambda one: one.unreadable()):
            check_sentence(row.why)
        for turn in range(_ASKED):
            name = self._COMMANDS[(chance + 5 * turn) % len(self._COMMANDS)]
            self._one(name, "json" if (chance >> 8) + turn & 1 else "plain", number)

    def _one(self, name: str, format_: str, number: Any) -> None:
        order = {"prefix": f"perf-bench {name}", "format": format_, "id": str(number),
                 "a": "1", "b": str(number), "profile": "osd-throughput",
                 "name": "osd-throughput"}  # fmt: skip
        question = next(one for one in QUESTIONS if one.name == name)
        taken = {one.name for one in question.arguments} | {"prefix", "format"}
        status, out, error = dispatch(
            self.past.api, {key: one for key, one in order.items() if key in taken}
        )
        if status:
            check_sentence(error)
        elif format_ == "json":
            _strict(out)


def _database(folder: Path) -> Any:
    db = sqlite3.connect(folder / "main.db", timeout=10)
    db.row_factory = sqlite3.Row
    return db


def _wrapped(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return {"zlib": json.loads(zlib.decompress(value))}
        except FAULTS:
            return {"hex": value.hex()}
    if isinstance(value, str):
        try:
            return {"json": json.loads(value)}
        except ValueError:
            return value
    return value


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        (kind, inner), *_ = value.items()
        if kind == "json":
            return json.dumps(inner)
        if kind == "zlib":
            return zlib.compress(json.dumps(inner).encode())
        if kind == "hex":
            return bytes.fromhex(str(inner))
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return value


def fill(past: Past) -> None:
    """Put a row into each table that the past of rounds does not fill."""
    now = past.clock.now()

    def work(store: Any) -> None:
        store.put_schedule(Schedule("nightly", "osd-throughput", every=86400))
        store.put_schedule_states({"nightly": ScheduleState()})
        store.loads.add(1, LoadSample(1, now, why="why"))
        store.facts.put("host-0", now, INTERFACE, {})
        finding = Finding(
            id=1, code="PERF_BENCH_SLOW_OSD", severity=Severity.WARNING, target=At("osd", "5"),
            message="osd.5 is slow", evidence={"ratio": 3.0}, first_seen=now, last_seen=now,
            state=FindingState.OPEN,
        )  # fmt: skip
        store.watch.write(
            WatchBatch(
                at=now,
                states={"one": {"a": 1}},
                findings=(finding,),
                episodes=(Episode(now - 60, now, 7, 30.0),),
            )
        )

    past.store_thread.call(work)


def _quick() -> None:
    osd_benches._LOOK_SECONDS = 0.002
    osd_benches._OPTION_POLL = 0.002
    round_page._SAVE_AGAIN = 0.002


logging.disable(logging.CRITICAL)
TARGETS: Mapping[str, Callable[[], Target]] = {
    one.name: one for one in (Facts, Imports, Workers, Journals, Rows, Rest, Cli)
}
