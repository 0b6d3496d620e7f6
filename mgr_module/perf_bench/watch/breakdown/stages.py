"""Split the time of an operation into stages, by its events.

The names of events are the same on 16, 18 and 20. A replica's answer is ``sub_op_commit_rec``,
which does not say whose it is; before 13 it was "sub_op_commit_rec from 3", which is understood,
too. An operation of an erasure-coded pool has ``sub_op_started`` and ``sub_op_committed`` for its
own shard, and nothing about the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Callable, Optional

from ...model.breakdown import Stage, TrackedOperation

_ARRIVAL: Mapping[str, Stage] = {
    "initiated": Stage.THROTTLED,
    "header_read": Stage.THROTTLED,
    "throttled": Stage.RECEIVED,
    "all_read": Stage.RECEIVED,
    "dispatched": Stage.RECEIVED,
    "queued_for_pg": Stage.QUEUED,
    "reached_pg": Stage.PREPARED,
    "waiting for readable": Stage.READABLE,
    "commit_sent": Stage.FINISHED,
    "done": Stage.FINISHED,
}
# Events of other backends that change nothing for the operation.
_SILENT = frozenset(
    (
        "op_applied", "sub_op_applied", "sub_op_applied_rec", "commit_queued_for_journal_write",
        "write_thread_in_journal_buffer", "journaled_completion_queued",
    )
)  # fmt: skip
_SUB_OPERATIONS = "waiting for subops from "
_OSDS = re.compile(r"\d{1,9}", re.ASCII)
_MOST_OSDS = 64
_WAITS = ("waiting for ", "wait for ")


@dataclass
class Split:
    """Seconds of one operation by stage.

    ``waited_for``: the OSDs that it sent sub-operations to, less those that are known to have
    answered; ``waited`` is the time after its own commit until the last answer. Erasure-coded
    operations have none, though they wait (``unnamed``). ``blocked`` has reasons with seconds.
    """

    seconds: dict[Stage, float] = field(default_factory=dict)
    waited_for: frozenset[int] = frozenset()
    waited: float = 0.0
    unnamed: float = 0.0
    blocked: dict[str, float] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


class _Progress:
    """What an operation still waits for, while its events are followed."""

    def __init__(self, operation: TrackedOperation) -> None:
        names = {event.name for event in operation.events}
        self._splits_off = "sub_op_started" in names or any(
            name.startswith(_SUB_OPERATIONS) for name in names
        )
        self._operation = operation
        self._stage = Stage.OTHER
        self._own = False
        self.reason: Optional[str] = None
        self.sent: Optional[frozenset[int]] = None
        self._missing = 0
        self.erasure_coded = False
        # What an event does, by how its name begins; the first that fits.
        self._steps: Sequence[tuple[str, Callable[[str], Stage]]] = (
            ("started", self._started),
            (_SUB_OPERATIONS, self._sent),
            ("sub_op_commit_rec", self._answered),
            ("op_commit", self._committed),
            ("sub_op_started", self._shard_sent),
            ("sub_op_committed", self._shard_committed),
            ("waiting for ", self._blocked),
            ("wait for ", self._blocked),
            ("delayed", self._blocked),
        )

    def after(self, name: str) -> Stage:
        """The stage in which the operation is after this event."""
        self.reason = None
        if name in _SILENT:
            return self._stage
        self._stage = self._next(name)
        return self._stage

    def _next(self, name: str) -> Stage:
        known = _ARRIVAL.get(name)
        if known is not None:
            return known
        step = next((step for begin, step in self._steps if name.startswith(begin)), None)
        if step is not None:
            return step(name)
        self.reason = name
        return Stage.OTHER

    def _blocked(self, name: str) -> Stage:
        self.reason = name if name.startswith(_WAITS) else None
        return Stage.BLOCKED

    def _sent(self, name: str) -> Stage:
        numbers = _OSDS.findall(name[len(_SUB_OPERATIONS) :])[:_MOST_OSDS]
        self.sent, self._own = frozenset(map(int, numbers)), True
        self._missing = len(self.sent)
        return self._writing()

    def _answered(self, name: str) -> Stage:
        self._missing = max(0, self._missing - 1)
        named = _OSDS.search(name)
        if named and self.sent is not None and self._missing:
            self.sent = self.sent - {int(named.group())}
        return self._writing()

    def _committed(self, _name: str) -> Stage:
        self._own = False
        return self._writing()

    def _shard_sent(self, _name: str) -> Stage:
        self.erasure_coded = self._own = True
        return Stage.COMMIT

    def _shard_committed(self, _name: str) -> Stage:
        self._own = False
        return Stage.SUB_OPERATIONS if self._operation.is_client else Stage.FINISHED

    def _started(self, _name: str) -> Stage:
        if self._splits_off:
            return Stage.PREPARED
        if self._operation.is_client and not self._operation.writes:
            return Stage.READ
        return (
            Stage.PREPARED if self._operation.in_flight and self._operation.reads else Stage.COMMIT
        )

    def _writing(self) -> Stage:
        if self._own:
            return Stage.COMMIT
        return Stage.SUB_OPERATIONS if self._missing else Stage.FINISHED


def split(operation: TrackedOperation) -> Split:
    """The seconds of an operation by stage; they add up to its duration."""
    found, progress = Split(), _Progress(operation)
    ends = [event.at for event in operation.events[1:]] + [operation.end]
    for event, end in zip(operation.events, ends):
        stage, seconds = progress.after(event.name), end - event.at
        found.seconds[stage] = found.seconds.get(stage, 0.0) + seconds
        if stage is Stage.BLOCKED and progress.reason:
            found.blocked[progress.reason] = found.blocked.get(progress.reason, 0.0) + seconds
        elif stage is Stage.OTHER and progress.reason:
            found.unknown.add(progress.reason)
        elif stage is Stage.SUB_OPERATIONS:
            if progress.erasure_coded:
                found.unnamed += seconds
            else:
                found.waited += seconds
    if progress.sent and not progress.erasure_coded:
        found.waited_for = progress.sent
    return found
