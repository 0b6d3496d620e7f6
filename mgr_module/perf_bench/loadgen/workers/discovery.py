"""Discovery: which workers answer, and by how much their clocks differ from ours."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ...model.worker import ORDERS, REGISTRATIONS, REPLIES, Worker, WorkerState
from ...version import VERSION
from .rados_channel import RadosChannel

# Those who are there answer within milliseconds, on a saturated cluster within a second.
_CALL_SECONDS = 1.5
# Of so many calls the quickest answer tells a worker's clock best.
_CALLS = 3
# A card that nobody renewed for so long is taken away.
_FORGET_SECONDS = 7 * 86400.0


@dataclass(frozen=True)
class WorkerAnswer:
    """What a worker said of itself; its clock as of ``Worker``."""

    said: Mapping[str, Any]
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
        with self._lock:
            clock, instance = said.get("clock"), said.get("instance")
            if said.get("answer") != self._call or not isinstance(clock, float):
                return
            error = (came_at - self._called_at) / 2
            found = WorkerAnswer(said, clock - self._called_at - error, error)
            best = self._answers.get(str(instance))
            if best is None or error < best.clock_error:
                self._answers[str(instance)] = found
            self._present.add(str(instance))
            self._lock.notify_all()

    def _lost(self, cards: Mapping[str, Mapping[str, Any]]) -> list[Worker]:
        """Those of whom there is nothing but a card; cards of no more use are taken away."""
        alive = {str(answer.said.get("id")) for answer in self._answers.values()}
        found = []
        for instance, card in cards.items():
            if instance in self._answers:
                continue
            worker = _lost(card, instance)
            # One that was started again, or is gone for good.
            if worker.id in alive or time.time() - worker.last_seen > _FORGET_SECONDS:
                self._place.forget(REGISTRATIONS, instance)
            else:
                found.append(worker)
        return found


def _workers(answers: Mapping[str, WorkerAnswer]) -> list[Worker]:
    names = Counter(str(answer.said.get("id")) for answer in answers.values())
    found = []
    for instance, answer in answers.items():
        said, name = answer.said, str(answer.said.get("id"))
        others = sorted(
            str(other.said.get("host"))
            for one, other in answers.items()
            if one != instance and other.said.get("id") == said.get("id")
        )
        state, note = _state(said, others if names[name] > 1 else [])
        found.append(
            Worker(
                id=name,
                host=str(said.get("host")),
                version=str(said.get("version")),
                instance=instance,
                state=state,
                last_seen=time.time(),
                clock_offset=answer.clock_offset,
                clock_error=answer.clock_error,
                note=note,
            )
        )
    return found


def _state(said: Mapping[str, Any], others: list[str]) -> tuple[WorkerState, str]:
    if said.get("version") != VERSION:
        note = f"its version is {said.get('version')}, that of the mgr {VERSION}"
        return WorkerState.MISMATCHED, note
    if others:
        where = ", ".join(others)
        return WorkerState.DUPLICATE, f"another one of that name runs on {where}: end one"
    return (WorkerState.BUSY if said.get("busy") else WorkerState.READY), ""


def _lost(card: Mapping[str, Any], instance: str) -> Worker:
    offset: Optional[float] = card.get("offset")
    return Worker(
        id=str(card.get("id")),
        host=str(card.get("host")),
        version=str(card.get("version")),
        instance=instance,
        state=WorkerState.LOST,
        last_seen=float(card.get("seen", 0.0)) - (offset or 0.0),
        note="it does not answer",
    )
