"""Discovery: which workers answer, and by how much their clocks differ from ours."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.phrases import listed
from ...model.worker import NAME, ORDERS, REGISTRATIONS, REPLIES, Worker, WorkerState
from ...version import VERSION
from .rados_channel import RadosChannel
from .untrusted import MOST_WORKERS, Answer, Card, read

# Those who are there answer within milliseconds, on a saturated cluster within a second.
_CALL_SECONDS = 1.5
# Of so many calls the quickest answer tells a worker's clock best.
_CALLS = 3
# A card that nobody renewed for so long is taken away.
_FORGET_SECONDS = 7 * 86400.0


@dataclass(frozen=True)
class WorkerAnswer:
    """What a worker said of itself; its clock as of ``Worker``."""

    said: Answer
    clock_offset: float
    clock_error: float


class Discovery:
    """Calls the workers at a place; used from one thread."""

    def __init__(self, place: RadosChannel) -> None:
        self._place = place
        self._lock = threading.Condition()
        self._call = ""
        self._called_at = 0.0
        # By instance the best answer so far, and who answered the call that is now.
        self._answers: dict[str, WorkerAnswer] = {}
        self._present: set[str] = set()

    def call(self) -> list[Worker]:
        """All workers by name. Raises CommandFailed where RADOS fails."""
        self._answers = {}
        cards = self._place.notes(REGISTRATIONS)
        self._place.watch(REPLIES, self._heard)
        try:
            for number in range(_CALLS):
                known = set(cards) if number == 0 else set(self._answers)
                if number and not known:
                    break
                self._one(known)
        finally:
            self._place.unwatch()
        found = [*_workers(self._answers), *self._lost(cards)]
        if not found:  # where nobody is nothing is kept
            for name in (ORDERS, REPLIES, REGISTRATIONS):
                self._place.remove(name)
        return sorted(found, key=lambda one: (one.id, one.instance))

    def _one(self, known: Iterable[str]) -> None:
        with self._lock:
            self._call, self._present = uuid.uuid4().hex, set()
            self._called_at = time.time()
        self._place.notify(ORDERS, {"call": self._call, "at": self._called_at})
        with self._lock:
            self._lock.wait_for(lambda: self._present.issuperset(known), _CALL_SECONDS)

    def _heard(self, said: Mapping[str, Any]) -> None:
        """On a thread of librados."""
        came_at = time.time()
        found = read(Answer, said)
        with self._lock:
            if found is None or found.answer != self._call:
                return
            best = self._answers.get(found.instance)
            if best is None and len(self._answers) >= MOST_WORKERS:
                return
            error = (came_at - self._called_at) / 2
            if best is None or error < best.clock_error:
                offset = found.clock - self._called_at - error
                self._answers[found.instance] = WorkerAnswer(found, offset, error)
            self._present.add(found.instance)
            self._lock.notify_all()

    def _lost(self, cards: Mapping[str, Mapping[str, Any]]) -> list[Worker]:
        """Those of whom there is nothing but a card; cards of no more use are taken away."""
        alive = {one.said.id for one in self._answers.values()}
        found = []
        for instance, values in cards.items():
            if instance in self._answers:
                continue
            left = read(Card, values) if NAME.fullmatch(instance) else None
            # No card at all, one that was started again, or is gone for good.
            if left is None or left.id in alive or time.time() - _last_seen(left) > _FORGET_SECONDS:
                self._place.forget(REGISTRATIONS, instance)
            else:
                found.append(_lost(left, instance))
        return found


def _workers(answers: Mapping[str, WorkerAnswer]) -> list[Worker]:
    names = Counter(one.said.id for one in answers.values())
    found = []
    for instance, one in answers.items():
        others = sorted(
            other.said.host
            for there, other in answers.items()
            if there != instance and other.said.id == one.said.id
        )
        state, note = _state(one.said, others if names[one.said.id] > 1 else [])
        found.append(
            Worker(
                id=one.said.id,
                host=one.said.host,
                version=one.said.version,
                instance=instance,
                state=state,
                last_seen=time.time(),
                clock_offset=one.clock_offset,
                clock_error=one.clock_error,
                note=note,
            )
        )
    return found


def _state(said: Answer, others: list[str]) -> tuple[WorkerState, str]:
    if said.version != VERSION:
        note = f"its version is {said.version}, that of the mgr {VERSION}"
        return WorkerState.MISMATCHED, note
    if others:
        where = listed(others)
        return WorkerState.DUPLICATE, f"another one of that name runs on {where}: end one"
    return (WorkerState.BUSY if said.busy else WorkerState.READY), ""


def _last_seen(left: Card) -> float:
    """Unix seconds by our clock."""
    return left.seen - left.offset


def _lost(left: Card, instance: str) -> Worker:
    return Worker(
        id=left.id,
        host=left.host,
        version=left.version,
        instance=instance,
        state=WorkerState.LOST,
        last_seen=_last_seen(left),
        note="it does not answer",
    )
