"""The repeats of rounds of clients: every client's seconds, packed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ..model.rados import LoadSample, client_run
from ..model.saturation import SearchLoad
from .database import Database


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
    runs = [run.packed() for run in sample.runs]
    return {**asdict(replace(sample, runs=())), "runs": runs}


def _unpacked(found: Mapping[str, Any]) -> LoadSample:
    runs = tuple(client_run(run) for run in found["runs"])
    # Repeats of before there was a search have no load of their own.
    load = found.get("load")
    return LoadSample(**{**found, "runs": runs, "load": SearchLoad(**load) if load else None})
