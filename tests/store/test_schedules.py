"""Schedules to the store and back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from fakes.database import BROKEN, Faults
from perf_bench.errors import NotFound
from perf_bench.model.plan import Schedule
from perf_bench.store.sqlite import Store


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
