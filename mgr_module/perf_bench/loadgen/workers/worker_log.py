"""What the mgr's side has heard of one worker in a run."""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ...errors import CommandFailed, InvalidValue
from ...model.rados import WorkerPart
from ...model.worker import BEAT_SECONDS, Worker, told_in
from .proofs import LINE, STATUS, is_signed, line_of
from .rados_channel import RadosChannel
from .untrusted import GRACE, LARGEST_LINE, LARGEST_VALUE, message, said

# A worker tells something every second; who is silent for longer may have no room to.
_SILENT_SECONDS = 2.0 * BEAT_SECONDS
# A row while it runs, the same in the whole run, and a beat, each line with its proof.
_ROW_BYTES = 512


class WorkerLog:
    """What one worker has told of a run so far."""

    def __init__(
        self, run: str, worker: Worker, numbers: Sequence[int], seconds: int, secret: str
    ) -> None:
        """``seconds`` is how long each of its clients, the ``numbers``, is to run.

        ``secret`` proves that the worker itself tells it.
        """
        self.worker = worker
        self.secret = secret
        self._about = (run, worker.instance)
        self._lines = 0
        self._seconds = seconds
        # What its clients can tell at most: two rows a second, and a few lines.
        self._most = LARGEST_VALUE + len(numbers) * (seconds + GRACE) * _ROW_BYTES
        # By client the newest second of which there is a row.
        self._newest: dict[int, int] = {}
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
        """What is new; rows of clients are returned, all else is kept here.

        What cannot be is a failure of this worker, and nothing more of it is read.
        """
        if data:
            self.heard_at = time.monotonic()
        self._offset += len(data)
        *lines, self._part = (self._part + data).split(b"\n")
        rows = []
        try:
            if self._offset > self._most or len(self._part) > LARGEST_LINE:
                raise InvalidValue("it tells more than a run has")
            for line in lines:
                text = line_of(self.secret, line, LINE, *self._about, self._lines)
                if text is None:
                    raise InvalidValue("a line is not its own, or not the next one")
                self._lines += 1
                found = message(text, LARGEST_LINE)
                if found is None:
                    raise InvalidValue("a line is no JSON")
                told = said(found, self.numbers, self._seconds)
                if not self.keep(told) and self._is_newer(told):
                    rows.append(told)
        except InvalidValue as error:
            self.failure = CommandFailed(
                errno.EPROTO,
                f"worker {self.worker.id} on {self.worker.host} tells what cannot be: {error}",
            )
        return rows

    def _is_newer(self, told: Mapping[str, Any]) -> bool:
        """Whether a row is of a later second than those before: so many there are at most."""
        second, client = told["row"][0], told["client"]
        if second <= self._newest.get(client, -1):
            return False
        self._newest[client] = second
        return True

    def take_last_words(self, place: RadosChannel) -> None:
        """What it said beside its lines, if there is anything."""
        self.asked_at = time.monotonic()
        found = place.read(self.name) or {}
        if is_signed(self.secret, found, STATUS, *self._about):
            with contextlib.suppress(InvalidValue):
                self.keep(said(found, self.numbers, self._seconds))

    def keep(self, told: Mapping[str, Any]) -> bool:
        """Whether it is no row of a client; ``told`` is checked."""
        if "row" in told:
            return False
        if "run" in told:
            self.runs[told["client"]] = told["run"]
        elif "error" in told:
            self.failure = CommandFailed(told["errno"], f"worker {self.worker.id}: {told['error']}")
        self.accepted = self.accepted or "accepted" in told
        self.late = told.get("started", self.late)
        self.ended = self.ended or "ended" in told
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
