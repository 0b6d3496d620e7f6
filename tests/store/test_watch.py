"""What the watch stores: it comes back, it is rolled up, and no fault leaves half of it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes.database import BROKEN, Faults, file_store
from latencies import BEGAN, NAN, a_row, columns
from perf_bench.errors import StoreUnavailable
from perf_bench.model.finding import (
    COMMIT,
    READ,
    Acknowledgement,
    Finding,
    FindingState,
    Severity,
    Target,
)
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.history import (
    CHUNK,
    DAY,
    FIVE_MINUTES,
    HOUR,
    KEPT_SECONDS,
    SeriesPoint,
    SpanRow,
    WatchBatch,
)
from perf_bench.model.verdict import Episode, LaggyOsd, Suspect
from perf_bench.store import series
from perf_bench.store.encoding import Block, merge
from perf_bench.store.sqlite import Store

FINDING = Finding(
    3,
    SLOW_OSD.code,
    Severity.WARNING,
    Target("osd", "7"),
    "osd.7 on host-0 is 3.1 times as slow as its peers — “really”",
    {"ratio": 3.1, "channel": "commit", "peers": [1, 2, None]},
    first_seen=BEGAN + 0.5,
    last_seen=BEGAN + 900.25,
)
CLOSED = replace(
    FINDING,
    id=4,
    target=Target("host", "host-1"),
    state=FindingState.CLOSED,
    muted_until=BEGAN + 5000.0,
    closed_at=BEGAN + 1000.0,
    acknowledged=Acknowledgement("disk ordered — “4711”", BEGAN + 950.0, "alice"),
)
EPISODE = Episode(
    start=BEGAN + 10.0,
    end=BEGAN + 70.5,
    peak=12,
    laggy_pg_seconds=400.0,
    suspects=(Suspect(7, 300.0, 0.75, 0.4, 20.0, 3),),
    osds=(LaggyOsd(7, 300.0, 750.0), LaggyOsd(8, 100.0, 750.0)),
    pools=("rbd", "cephfs.data"),
    round_id=12,
)
STATE = {"format": 1, "osds": {"7": [0.1, None, 3]}, "long": list(range(2000))}


def _five(start: int, mean: float = 0.01, **named: Any) -> SpanRow:
    """Five minutes of osd.0: 20 frames, 100 operations."""
    return a_row(start, {COMMIT: columns([mean])}, **named)


def _hours(count: int, begin: int = BEGAN) -> list[SpanRow]:
    """Hours of five minutes; the mean of each is its number in ms, from 1."""
    return [
        _five(begin + HOUR * hour + FIVE_MINUTES * part, 0.001 * (hour + 1))
        for hour in range(count)
        for part in range(12)
    ]


def _tended(store: Store, at: float, times: int = 1) -> None:
    for _ in range(times):
        store.watch.write(WatchBatch(at, settled=at))


def _stored(path: Path, level: int) -> list[tuple[int, int]]:
    """Chunk and start of the rows of a level, as they lie in the file."""
    db = sqlite3.connect(path)
    found = db.execute(
        "SELECT key, start FROM spans WHERE level = ? ORDER BY key, start", (level,)
    ).fetchall()
    db.close()
    return found


# --- findings, states, episodes ----------------------------------------------------------------


def test_a_state_comes_back_with_its_time(store: Store) -> None:
    store.watch.write(WatchBatch(BEGAN, states={"slow": {"format": 0}, "laggy": {}}))
    store.watch.write(WatchBatch(BEGAN + 300, states={"slow": STATE}))
    found = store.watch.state("slow")
    assert found is not None
    assert (found.at, found.state) == (BEGAN + 300, STATE)
    assert store.watch.state("laggy") is not None


def test_episodes_newest_first_in_pages(store: Store) -> None:
    episodes = [replace(EPISODE, start=BEGAN + 100.0 * n) for n in range(4)]
    store.watch.write(WatchBatch(BEGAN, episodes=episodes[:3]))
    going_on = replace(episodes[2], end=None, peak=40)
    store.watch.write(WatchBatch(BEGAN, episodes=[going_on, episodes[3]]))
    assert store.watch.episodes() == ([episodes[3], going_on, episodes[1], episodes[0]], 4)
    assert store.watch.episodes(limit=2, offset=1) == ([going_on, episodes[1]], 4)


# --- series --------------------------------------------------------------------------------------


def test_five_minutes_come_back(store: Store) -> None:
    both = {COMMIT: columns([0.01, NAN, 0.03]), READ: columns([NAN, 0.2, NAN], ops=[0, None, 0])}
    store.watch.write(WatchBatch(BEGAN, spans=[a_row(BEGAN, both, osds=[1, 5, 63])]))

    def ask(osd: int, channel: str) -> Sequence[SeriesPoint]:
        return store.watch.series(osd, [channel], FIVE_MINUTES, BEGAN, BEGAN + 300)[channel]

    (slow,) = ask(63, COMMIT)
    assert (slow.start, slow.seconds, slow.ops, slow.frames) == (BEGAN, 300, 100, 20)
    assert slow.mean == pytest.approx(0.03, rel=0.004)
    assert ask(5, READ)[0].ops is None
    for osd, channel in ((5, COMMIT), (1, READ), (2, COMMIT), (64, COMMIT)):
        assert ask(osd, channel) == []


def test_five_minutes_in_two_parts_are_one_among_others(store: Store) -> None:
    rows = [_five(BEGAN + 300 * n, 0.010) for n in range(3)]
    late = _five(BEGAN + 300, 0.030, since=BEGAN + 420)
    store.watch.write(WatchBatch(BEGAN, spans=[*rows, late]))
    found = store.watch.series(0, [COMMIT], FIVE_MINUTES, BEGAN, BEGAN + 900)[COMMIT]
    assert [(one.start - BEGAN, one.frames) for one in found] == [(0, 20), (300, 40), (600, 20)]


def test_hours_and_days_are_rolled_up(on_file: Store, path: Path) -> None:
    on_file.watch.write(WatchBatch(BEGAN, spans=_hours(26)))
    _tended(on_file, BEGAN + 26 * HOUR)
    assert _stored(path, HOUR) == [(0, BEGAN + HOUR * n) for n in range(26)]
    assert _stored(path, DAY) == [(0, BEGAN)]
    hours = on_file.watch.series(0, [COMMIT], HOUR, BEGAN, BEGAN + DAY)[COMMIT]
    assert [(one.frames, one.ops) for one in hours] == [(240, 1200)] * 24
    assert hours[4].mean == pytest.approx(0.005, rel=0.01)
    (day,) = on_file.watch.series(0, [COMMIT], DAY, BEGAN, BEGAN + DAY)[COMMIT]
    assert (day.frames, day.ops) == (5760, 28800)
    assert day.mean == pytest.approx(0.0125, rel=0.01)
    assert day.maximum == pytest.approx(0.024, rel=0.004)


def test_only_what_is_settled_is_rolled_up(on_file: Store, path: Path) -> None:
    on_file.watch.write(WatchBatch(BEGAN, spans=_hours(3)))
    on_file.watch.write(WatchBatch(BEGAN + 3 * HOUR, settled=BEGAN + 2 * HOUR - 1))
    assert _stored(path, HOUR) == [(0, BEGAN)]
    # without a word about it, not at all
    on_file.watch.write(WatchBatch(BEGAN + 3 * HOUR))
    assert _stored(path, HOUR) == [(0, BEGAN)]


@pytest.mark.parametrize("tended_until", [0, 1, 3])
def test_what_is_not_rolled_up_yet_is_there_all_the_same(tended_until: int, store: Store) -> None:
    store.watch.write(WatchBatch(BEGAN, spans=_hours(3)))
    _tended(store, BEGAN + tended_until * HOUR)
    hours = store.watch.series(0, [COMMIT], HOUR, BEGAN, BEGAN + 3 * HOUR)[COMMIT]
    assert [(one.start - BEGAN, one.seconds, one.frames) for one in hours] == [
        (0, HOUR, 240),
        (HOUR, HOUR, 240),
        (2 * HOUR, HOUR, 240),
    ]
    (day,) = store.watch.series(0, [COMMIT], DAY, BEGAN, BEGAN + DAY)[COMMIT]
    assert (day.seconds, day.frames, day.ops) == (DAY, 720, 3600)


def test_a_few_chunks_at_a_time_all_in_turn(on_file: Store, path: Path) -> None:
    rows = [
        row._replace(key=chunk)
        for chunk in (0, 1, 2, 3, 5, 8, 13, 21, 34)
        for row in (_five(BEGAN), _five(BEGAN + 300))
    ]
    on_file.watch.write(WatchBatch(BEGAN, spans=rows))
    seen = []
    for _ in range(3):
        _tended(on_file, BEGAN + HOUR)
        seen.append([chunk for chunk, _ in _stored(path, HOUR)])
    assert seen == [[0, 1, 2, 3], [0, 1, 2, 3, 5, 8, 13, 21], [0, 1, 2, 3, 5, 8, 13, 21, 34]]


@pytest.mark.parametrize(
    ("level", "kept"), [(FIVE_MINUTES, 2 * DAY), (HOUR, 30 * DAY), (DAY, 400 * DAY)]
)
def test_rows_go_when_they_are_old(level: int, kept: int, on_file: Store, path: Path) -> None:
    on_file.watch.write(WatchBatch(BEGAN, spans=[_five(BEGAN, level=level)]))
    on_file.watch.write(WatchBatch(BEGAN + kept, settled=BEGAN))
    assert _stored(path, level) == [(0, BEGAN)]
    on_file.watch.write(WatchBatch(BEGAN + kept + 1, settled=BEGAN))
    assert _stored(path, level) == []


@pytest.mark.parametrize(
    ("level", "option", "kept"),
    [
        (FIVE_MINUTES, 7 * DAY, 7 * DAY),
        # not before they are rolled up, whatever is asked for
        (FIVE_MINUTES, 60, 3 * HOUR),
        (HOUR, 0, 3 * DAY),
        (DAY, 5 * DAY, 5 * DAY),
    ],
)
def test_how_long_is_an_option(
    level: int, option: float, kept: float, on_file: Store, path: Path
) -> None:
    options = {**KEPT_SECONDS, level: option}
    on_file.watch.write(WatchBatch(BEGAN, spans=[_five(BEGAN, level=level)]))
    on_file.watch.write(WatchBatch(BEGAN + kept, settled=BEGAN, kept=options))
    assert _stored(path, level) == [(0, BEGAN)]
    on_file.watch.write(WatchBatch(BEGAN + kept + 1, settled=BEGAN, kept=options))
    assert _stored(path, level) == []


def test_a_fault_of_our_own_in_one_chunk_does_not_stop_the_others(
    on_file: Store,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = [row._replace(key=chunk) for chunk in (0, 1, 2) for row in _hours(1)]
    on_file.watch.write(WatchBatch(BEGAN, spans=rows))

    def faulty(blocks: Sequence[Block]) -> Block:
        if blocks[0].osds[0] // CHUNK == 1:
            raise ZeroDivisionError
        return merge(blocks)

    monkeypatch.setattr(series, "merge", faulty)
    on_file.watch.write(WatchBatch(BEGAN, findings=[FINDING], settled=BEGAN + HOUR))
    assert _stored(path, HOUR) == [(0, BEGAN), (2, BEGAN)]
    assert on_file.watch.findings() == ([FINDING], 4)
    assert "spans of series 1 could not be rolled up" in caplog.text


def _damage(path: Path, sql: str) -> None:
    db = sqlite3.connect(path)
    changed = db.execute(sql).rowcount
    db.commit()
    db.close()
    assert changed == 1


@pytest.mark.parametrize(
    "data",
    [
        "zeroblob(0)",
        "x'00'",
        "substr(data, 1, 20)",
        "zeroblob(400)",
        "CAST(x'02' || substr(data, 2) AS BLOB)",
    ],
)
def test_a_damaged_row_is_left_out_and_set_aside(data: str, on_file: Store, path: Path) -> None:
    on_file.watch.write(WatchBatch(BEGAN, spans=_hours(1)))
    _damage(path, f"UPDATE spans SET data = {data} WHERE start = {BEGAN + 600}")  # noqa: S608
    found = on_file.watch.series(0, [COMMIT], FIVE_MINUTES, BEGAN, BEGAN + HOUR)[COMMIT]
    assert [(one.start - BEGAN) // 300 for one in found] == [0, 1, *range(3, 12)]
    (row,) = on_file.unreadable.rows()
    assert row.key == ("series", FIVE_MINUTES, 0, BEGAN + 600, BEGAN + 600)
    # and the hour is made of the rest
    _tended(on_file, BEGAN + HOUR)
    (hour,) = on_file.watch.series(0, [COMMIT], HOUR, BEGAN, BEGAN + HOUR)[COMMIT]
    assert hour.frames == 220


# --- faults --------------------------------------------------------------------------------------

WHOLE = WatchBatch(
    BEGAN + 27 * HOUR,
    spans=[_five(BEGAN + 26 * HOUR), _five(BEGAN + 26 * HOUR + 300)],
    findings=[replace(FINDING, message="now"), replace(FINDING, id=9)],
    forgotten=[4],
    states={"slow": STATE},
    episodes=[EPISODE],
    settled=BEGAN + 26 * HOUR,
)


def _fill(store: Store) -> None:
    store.watch.write(WatchBatch(BEGAN, spans=_hours(26), findings=[FINDING, CLOSED]))


def _content(path: Path) -> list[object]:
    """What the file's tables are, and all their rows."""
    db = sqlite3.connect(path)
    tables = db.execute("SELECT name, sql FROM sqlite_master ORDER BY name, type").fetchall()
    names = [name for name, sql in tables if sql and sql.startswith("CREATE TABLE")]
    rows = [db.execute(f"SELECT * FROM {name}").fetchall() for name in names]  # noqa: S608
    db.close()
    return [tables, *rows]


def _statements(path: Path) -> Sequence[str]:
    """The statements of the whole batch, on a store like the one it is tried on.

    ``before.db`` beside it is as before them.
    """
    faults = Faults()
    store = file_store(path, faults)
    _fill(store)
    store.close()
    shutil.copyfile(path, path.with_name("before.db"))
    store.watch.findings()
    faults.met.clear()
    store.watch.write(WHOLE)
    store.close()
    return list(faults.met)


def _fail_at(faults: Faults, number: int, then: int) -> None:
    """Let the statement of that number from now on, and ``then`` more, fail (-1: all)."""
    meet = faults.meet
    left = number

    def counting(statement: str) -> None:
        nonlocal left
        if left == 0:
            faults.failing = then
        left -= 1
        meet(statement)

    faults.meet = counting  # type: ignore[method-assign]


def test_a_write_that_breaks_at_any_statement_is_done_once(tmp_path: Path) -> None:
    statements = _statements(tmp_path / "unbroken.db")
    assert len(statements) > 15
    expected = _content(tmp_path / "unbroken.db")
    for number in range(len(statements)):
        path, faults = tmp_path / f"{number}.db", Faults()
        shutil.copyfile(tmp_path / "before.db", path)
        store = file_store(path, faults)
        store.watch.findings()  # it is open now
        _fail_at(faults, number, then=1)
        store.watch.write(WHOLE)
        assert faults.opened == 2
        store.close()
        assert _content(path) == expected, statements[number]


def test_a_write_that_fails_for_good_leaves_all_as_it_was(tmp_path: Path) -> None:
    statements = _statements(tmp_path / "unbroken.db")
    expected = _content(tmp_path / "unbroken.db")
    path, faults = tmp_path / "main.db", Faults()
    store = file_store(path, faults)
    _fill(store)
    before = _content(path)
    sound = faults.meet
    for number in range(len(statements)):
        _fail_at(faults, number, then=-1)
        with pytest.raises(StoreUnavailable, match=BROKEN):
            store.watch.write(WHOLE)
        faults.failing = 0
        faults.meet = sound  # type: ignore[method-assign]
        assert _content(path) == before, statements[number]
    store.watch.write(WHOLE)
    store.close()
    assert _content(path) == expected
