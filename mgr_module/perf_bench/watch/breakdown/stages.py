"""Split the time of an operation into stages, by its events, and say who waits for whom.

The names of events are the same on 16, 18 and 20. A replica's answer is ``sub_op_commit_rec``,
which does not say whose it is; before 13 it was "sub_op_commit_rec from 3", which is understood,
too. An operation of an erasure-coded pool has ``sub_op_started`` and ``sub_op_committed`` for its
own shard, and nothing about the others.

An operation waits for the last of its replicas, and Ceph does not say which one that was. With one
replica that is clear. With several, the replica that is behind the most waiting in all gets most of
each operation's time, again and again, until the shares stand still: an OSD that is slow is in
every slow operation, its partners change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...model.verdict import OsdWhyWait, Stage, TrackedOperation

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
_WAITS = ("waiting for ", "wait for ")
_PASSES = 30
# Shorter waits are the round trip of any write.
_LEAST_SECONDS = 0.001
# A share that counts: the rest is what the passes have left over.
_LEAST_SHARE = 0.01
_MOST_WAITS = 5


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


class _Progress:
    """What an operation still waits for, while its events are followed."""

    def __init__(self, operation: TrackedOperation) -> None:
        self._operation = operation
        # Whether it goes on to replicas or shards after it has started.
        self._splits_off = any(
            event.name == "sub_op_started" or event.name.startswith(_SUB_OPERATIONS)
            for event in operation.events
        )
        self._stage = Stage.OTHER
        self._own = False
        self._missing = 0
        self.sent: frozenset[int] = frozenset()
        self.erasure_coded = False

    def after(self, name: str) -> Stage:
        """The stage in which the operation is after this event."""
        if name not in _SILENT:
            self._stage = _ARRIVAL.get(name) or self._next(name)
        return self._stage

    def _next(self, name: str) -> Stage:
        if name.startswith("started"):
            return self._started()
        if name.startswith(_SUB_OPERATIONS):
            numbers = _OSDS.findall(name[len(_SUB_OPERATIONS) :])
            self.sent, self._own = frozenset(map(int, numbers)), True
            self._missing = len(self.sent)
        elif name.startswith("sub_op_commit_rec"):
            self._missing = max(0, self._missing - 1)
            named = _OSDS.search(name)
            if named and self._missing:
                self.sent -= {int(named.group())}
        elif name.startswith("sub_op_started"):
            self.erasure_coded = self._own = True
            self._missing = int(self._operation.is_client)
        elif name.startswith(("op_commit", "sub_op_committed")):
            self._own = False
        else:
            return Stage.BLOCKED if name.startswith((*_WAITS, "delayed")) else Stage.OTHER
        if self._own:
            return Stage.COMMIT
        return Stage.SUB_OPERATIONS if self._missing else Stage.FINISHED

    def _started(self) -> Stage:
        operation = self._operation
        if self._splits_off:
            return Stage.PREPARED
        if operation.is_client and not operation.writes:
            return Stage.READ
        return Stage.PREPARED if operation.in_flight and operation.reads else Stage.COMMIT


def split(operation: TrackedOperation) -> Split:
    """The seconds of an operation by stage; they add up to its duration."""
    found, progress = Split(), _Progress(operation)
    ends = [event.at for event in operation.events[1:]] + [operation.end]
    for event, end in zip(operation.events, ends):
        stage, seconds = progress.after(event.name), end - event.at
        found.seconds[stage] = found.seconds.get(stage, 0.0) + seconds
        if stage is Stage.BLOCKED and event.name.startswith(_WAITS):
            found.blocked[event.name] = found.blocked.get(event.name, 0.0) + seconds
        elif stage is Stage.SUB_OPERATIONS and progress.erasure_coded:
            found.unnamed += seconds
        elif stage is Stage.SUB_OPERATIONS:
            found.waited += seconds
    if not progress.erasure_coded:
        found.waited_for = progress.sent
    return found


def shared_out(splits: Iterable[Split]) -> Sequence[OsdWhyWait]:
    """The OSDs that operations wait for, the worst first; at most 5."""
    waits = [one for one in splits if one.waited_for and one.waited >= _LEAST_SECONDS]
    total = sum(one.waited for one in waits)
    behind: Mapping[int, float] = {osd: 1.0 for one in waits for osd in one.waited_for}
    for _ in range(_PASSES):
        behind = _pass(waits, behind)
    counts = Counter(osd for one in waits for osd in one.waited_for)
    found = [
        OsdWhyWait(osd, round(seconds, 4), round(seconds / total, 4), counts[osd])
        for osd, seconds in behind.items()
        if seconds >= _LEAST_SHARE * total
    ]
    return sorted(found, key=lambda wait: (-wait.seconds, wait.osd))[:_MOST_WAITS]


def _pass(waits: Sequence[Split], weights: Mapping[int, float]) -> Mapping[int, float]:
    """The seconds by OSD, each operation's shared out by these weights."""
    found = dict.fromkeys(weights, 0.0)
    for one in waits:
        sum_ = sum(weights[osd] for osd in one.waited_for)
        for osd in one.waited_for:
            share = weights[osd] / sum_ if sum_ else 1 / len(one.waited_for)
            found[osd] += one.waited * share
    return found
