"""Stores the repeats of client rounds: the rows of every client, packed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ..model.decode import decode
from ..model.rados import LoadSample
from .database import Database
from .rows import pack, unpack


class LoadStore:
    """The repeats of rounds of clients. One transaction a method; errors as for Store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, round_id: int, sample: LoadSample) -> None:
        """Store a repeat; an existing one is kept, and one of a removed round is ignored."""
        runs = [run.packed() for run in sample.runs]
        data = pack({**asdict(replace(sample, runs=())), "runs": runs})

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR IGNORE INTO loads SELECT id, ?, ? FROM rounds WHERE id = ?",
                (sample.repeat, data, round_id),
            )

        self._database.write(work)

    def of(self, round_id: int) -> list[LoadSample]:
        """A round's repeats, in order."""
        query = "SELECT * FROM loads WHERE round_id = ? ORDER BY repeat"
        found = self._database.read(lambda db: db.execute(query, (round_id,)).fetchall())
        return self._database.unreadable.all(
            "loads", found, lambda row: (row["round_id"], row["repeat"]), load_of
        )


def load_of(row: sqlite3.Row) -> LoadSample:
    """Return the repeat in a row. Raises one of FAULTS."""
    found = unpack(row["data"])
    return decode(LoadSample, {**found, "runs": list(map(_run, found["runs"]))})


def _run(packed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a run with its rows as objects."""
    names = ("second", "finished", "mean_latency")
    return {**packed, "rows": [dict(zip(names, row)) for row in packed["rows"]]}
