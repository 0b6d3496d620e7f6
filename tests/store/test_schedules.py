"""Schedules to the store and back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from fakes.database import BROKEN, Faults, file_store
from perf_bench.errors import NotFound
from perf_bench.model.plan import Missed, Pending, Schedule, ScheduleState, Window
from perf_bench.store.sqlite import Store

DAILY = Schedule("s", "osd-throughput", every=86400, anchor=1.0, since=1.0)
FULL = Schedule(
    "s",
    "osd-iops",
    cron="0 3 * * 6",
    window=Window(1320, 240),
    timezone="Asia/Tokyo",
    osds="0-3",
    missed=Missed.SKIP,
    paused=True,
    since=7.0,
)
PENDING = Pending(1.0, 2.0, 3.0, 4.0, 5, ("osd.3 is down", "6 PGs"))


@pytest.mark.parametrize("schedule", [DAILY, FULL])
@pytest.mark.parametrize(
    "state",
    [
        ScheduleState(),
        ScheduleState(7.0, PENDING, 12, "refused once", 99.0, "no such zone"),
        ScheduleState(7.0, Pending(1.0, 2.0, 3.0, 4.0)),
    ],
)
def test_they_come_back_as_they_were(
    store: Store, schedule: Schedule, state: ScheduleState
) -> None:
    store.put_schedule(schedule)
    assert store.schedules() == {"s": (schedule, None)}
    store.put_schedule_states({"s": state, "gone": state})
    assert store.schedules() == {"s": (schedule, state)}


@pytest.mark.parametrize("said", ['"x"', "[]", '{"given_up": 3, "reasons": 4}'])
def test_damaged_codes_leave_the_texts(path: Path, said: str) -> None:
    pending = '{"due": 1, "start": 2, "until": 3, "retry_at": 4, "reasons": ["a"]}'
    saved = f'{{"seen": 7.0, "pending": {pending}, "given_up": "why", "said": {said}}}'
    schedule = '{"name": "n", "profile": "p", "every": 600}'
    state = _stored(path, schedule, saved).schedules()["n"][1]
    assert state == ScheduleState(7.0, Pending(1.0, 2.0, 3.0, 4.0, reasons=("a",)), None, "why")


def _stored(path: Path, schedule: str, state: str) -> Store:
    store = file_store(path)
    store.schedules()
    db = sqlite3.connect(path)
    db.execute("INSERT INTO schedules VALUES ('n', ?, ?)", (schedule, state))
    db.commit()
    db.close()
    return store


def test_what_a_later_version_stored_is_passed_over(path: Path) -> None:
    store = _stored(
        path,
        '{"name": "n", "profile": "p", "every": 600, "colour": "red"}',
        '{"seen": 1.0, "colour": "red", "pending": {"due": 1.0, "start": 2.0, "until": 3.0, '
        '"retry_at": 4.0, "reasons": ["a"], "colour": "red"}}',
    )
    pending = Pending(1.0, 2.0, 3.0, 4.0, reasons=("a",))
    assert store.schedules() == {"n": (Schedule("n", "p", every=600), ScheduleState(1.0, pending))}
    store.close()


def test_a_removal_whose_answer_was_lost_is_done(
    on_file: Store, faults: Faults, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_file.put_schedule(Schedule("n", "osd-iops"))
    events: list[str] = []

    def meet(statement: str) -> None:
        if statement == "COMMIT" and not events:
            events.append("no answer")
            raise sqlite3.OperationalError(BROKEN)
        if statement == "BEGIN IMMEDIATE" and events == ["no answer"]:
            with sqlite3.connect(path) as db:  # it was done all the same
                events.append(str(db.execute("DELETE FROM schedules").rowcount))
            db.close()

    monkeypatch.setattr(faults, "meet", meet)
    on_file.remove_schedule("n")
    assert events == ["no answer", "1"]
    with pytest.raises(NotFound):
        on_file.remove_schedule("n")
