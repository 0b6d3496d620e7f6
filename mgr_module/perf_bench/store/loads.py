"""The repeats of rounds of clients: every client's seconds, packed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..model.rados import ClientRun, LoadSample, Row
from ..model.saturation import Load
from .database import Database

_ROW = ("second", "finished", "mean_latency")


class SqliteLoadStore:
    """The LoadStore over the store's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, round_id: int, sample: LoadSample) -> None:
        data = zlib.compress(json.dumps(_packed(sample), separators=(",", ":")).encode(), 6)

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR IGNORE INTO loads SELECT id, ?, ? FROM rounds WHERE id = ?",
                (sample.repeat, data, round_id),
            )

        self._database.write(work)

    def of(self, round_id: int) -> list[LoadSample]:
        query = "SELECT data FROM loads WHERE round_id = ? ORDER BY repeat"
        rows = self._database.read(lambda db: db.execute(query, (round_id,)).fetchall())
        return [_unpacked(json.loads(zlib.decompress(data))) for (data,) in rows]


def _packed(sample: LoadSample) -> dict[str, Any]:
    """A sample as JSON; of each row the three numbers alone."""
    packed = asdict(sample)
    for run in packed["runs"]:
        run["rows"] = [[row[name] for name in _ROW] for row in run["rows"]]
    return packed


def _unpacked(found: Mapping[str, Any]) -> LoadSample:
    runs = tuple(
        ClientRun(**{**run, "rows": tuple(Row(*row) for row in run["rows"])})
        for run in found["runs"]
    )
    # Repeats of before there was a search have no load of their own.
    load = found.get("load")
    return LoadSample(**{**found, "runs": runs, "load": Load(**load) if load else None})
