"""What one worker has reported of a run, on the mgr's side."""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ...errors import CommandFailed, InvalidValue
from ...model import unmeasured
from ...model.rados import WorkerPart
from ...model.worker import BEAT_SECONDS, Worker, told_in
from .proofs import LINE, STATUS, is_signed, line_of
from .rados_channel import RadosChannel
from .untrusted import GRACE, LARGEST_LINE, LARGEST_VALUE, checked_line, message

# A worker reports every second; one that is silent for longer may have no room in the pool.
_SILENT_SECONDS = 2.0 * BEAT_SECONDS
# Bytes of a client's second: its row, the same row in the final run, and a beat, with proofs.
_ROW_BYTES = 512


class WorkerLog:
    """The report of one worker so far."""

    def __init__(
        self, run: str, worker: Worker, numbers: Sequence[int], seconds: int, secret: str
    ) -> None:
        """``numbers`` are its clients, each of which runs ``seconds``; ``secret`` checks lines."""
        self.worker = worker
        self.secret = secret
        self._about = (run, worker.instance)
        self._lines = 0
        self._seconds = seconds
        # Maximum bytes of the report.
        self._most = LARGEST_VALUE + len(numbers) * (seconds + GRACE) * _ROW_BYTES
        # By client: the newest second that has a row.
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
        """The object and the offset from which to read more of the report."""
        return self.name, self._offset

    @property
    def silent(self) -> bool:
        """Whether nothing was read for so long that the pool may have no room for lines."""
        return time.monotonic() - self.heard_at > _SILENT_SECONDS

    def take(self, data: bytes) -> list[dict[str, Any]]:
        """Add new bytes of the report. Returns the clients' new rows and keeps all other lines.

        An invalid line sets ``failure``, and the rest of the bytes is ignored.
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
                values = checked_line(found, self.numbers, self._seconds)
                if not self.keep(values) and self._is_newer(values):
                    rows.append(values)
        except InvalidValue as error:
            self.failure = CommandFailed(
                errno.EPROTO,
                f"worker {self.worker.id} on {self.worker.host} tells what cannot be: {error}",
            )
        return rows

    def _is_newer(self, values: Mapping[str, Any]) -> bool:
        """Whether a row is of a later second than the client's rows before; bounds their number."""
        second, client = values["row"][0], values["client"]
        if second <= self._newest.get(client, -1):
            return False
        self._newest[client] = second
        return True

    def take_final_status(self, channel: RadosChannel) -> None:
        """Read the status that a worker writes when its lines do not fit into the pool."""
        self.asked_at = time.monotonic()
        found = channel.read(self.name) or {}
        if is_signed(self.secret, found, STATUS, *self._about):
            with contextlib.suppress(InvalidValue):
                self.keep(checked_line(found, self.numbers, self._seconds))

    def keep(self, values: Mapping[str, Any]) -> bool:
        """Keep a checked line; returns False, and keeps nothing, for a row of a client."""
        if "row" in values:
            return False
        if "run" in values:
            self.runs[values["client"]] = values["run"]
        elif "error" in values:
            why = unmeasured.worker_failed(self.worker.id, values["error"])
            self.failure = CommandFailed(values["errno"], why)
        self.accepted = self.accepted or "accepted" in values
        self.late = values.get("started", self.late)
        self.ended = self.ended or "ended" in values
        return True

    def client_runs(self) -> list[dict[str, Any]]:
        """Return the runs of its clients, with times by the mgr's clock."""
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
