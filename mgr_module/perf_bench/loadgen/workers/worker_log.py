"""What the mgr's side has heard of one worker in a run."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ...errors import CommandFailed
from ...model.rados import WorkerPart
from ...model.worker import BEAT_SECONDS, Worker, told_in
from .rados_channel import RadosChannel

# A worker tells something every second; who is silent for longer may have no room to.
_SILENT_SECONDS = 2.0 * BEAT_SECONDS


class WorkerLog:
    """What one worker has told of a run so far."""

    def __init__(self, run: str, worker: Worker, numbers: Sequence[int]) -> None:
        self.worker = worker
        self.numbers = numbers
        self.name = told_in(run, worker.instance)
        self.heard_at = self.asked_at = time.monotonic()
        self.accepted = False
        self.late: Optional[float] = None
        self.runs: dict[int, dict[str, Any]] = {}
        self.failure: Optional[CommandFailed] = None
        self.ended = False
        self._offset = 0
        self._part = b""

    @property
    def wanted(self) -> tuple[str, int]:
        """Where, and from which byte on, it may have told more."""
        return self.name, self._offset

    @property
    def silent(self) -> bool:
        """Whether it may have no room for lines."""
        return time.monotonic() - self.heard_at > _SILENT_SECONDS

    def take(self, data: bytes) -> list[dict[str, Any]]:
        """What is new; rows of clients are returned, all else is kept here."""
        if data:
            self.heard_at = time.monotonic()
        self._offset += len(data)
        *lines, self._part = (self._part + data).split(b"\n")
        return [said for said in map(json.loads, lines) if not self.keep(said)]

    def take_last_words(self, place: RadosChannel) -> None:
        """What it said beside its lines, if there is anything."""
        self.asked_at = time.monotonic()
        self.keep(place.read(self.name) or {})

    def keep(self, said: Mapping[str, Any]) -> bool:
        """Whether it is no row of a client."""
        if "row" in said:
            return False
        if "run" in said:
            self.runs[said["client"]] = said["run"]
        elif "error" in said:
            self.failure = CommandFailed(said["errno"], f"worker {self.worker.id}: {said['error']}")
        self.accepted = self.accepted or "accepted" in said
        self.late = said.get("started", self.late)
        self.ended = self.ended or "ended" in said
        return True

    def told(self) -> list[dict[str, Any]]:
        """Its clients' runs, by our clock."""
        offset = self.worker.clock_offset or 0.0
        part = WorkerPart(
            self.worker.id,
            self.worker.host,
            offset,
            self.worker.clock_error or 0.0,
            self.late or 0.0,
        )
        return [
            {
                "client": number,
                "run": {**run, "started_at": run["started_at"] - offset, "worker": asdict(part)},
            }
            for number, run in self.runs.items()
        ]
