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
from .proofs import ANSWER, is_signed
from .rados_channel import RadosChannel
from .untrusted import MOST_WORKERS, Answer, Card, read

# Those who are there answer within milliseconds, on a saturated cluster within a second.
_CALL_SECONDS = 1.5
# Of so many calls the quickest answer tells a worker's clock best.
_CALLS = 3
# A card that nobody renewed for so long is taken away.
_FORGET_SECONDS = 7 * 86400.0
_NOT_SET_UP = "it has no secret at the monitors: see docs/workers.md"
_UNPROVEN = "it does not prove that it has the secret of this name: see docs/workers.md"


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
        # By worker what proves an answer to be its own.
        self.secrets: Mapping[str, str] = {}
        # By instance the best answer so far, and who answered the call that is now.
        self._answers: dict[str, WorkerAnswer] = {}
        # Answers without a proof.
        self._strangers: dict[str, Answer] = {}
        self._present: set[str] = set()

    def call(self) -> list[Worker]:
        """All workers by name. Raises CommandFailed where RADOS fails."""
        self._answers, self._strangers = {}, {}
        self.secrets = self._place.secrets()
        cards = self._place.notes(REGISTRATIONS)
        self._place.watch(REPLIES, self._heard)
        try:
            for number in range(_CALLS):
                known = set(cards) if number == 0 else {*self._answers, *self._strangers}
                if number and not known:
                    break
                self._one(known)
        finally:
            self._place.unwatch()
        found = [*_workers(self._answers), *self._unproven(), *self._lost(cards)]
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
            secret = self.secrets.get(found.id)
            if secret is None or not is_signed(secret, said, ANSWER):
                if len(self._strangers) < MOST_WORKERS:
                    self._strangers[found.instance] = found
                    self._present.add(found.instance)
                    self._lock.notify_all()
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

    def _unproven(self) -> list[Worker]:
        """Those who answered and did not prove who they are; no use is made of them."""
        return [
            Worker(
                id=said.id,
                host=said.host,
                version=said.version,
                instance=instance,
                state=WorkerState.MISMATCHED,
                last_seen=time.time(),
                note=_other_version(said)
                or (_UNPROVEN if said.id in self.secrets else _NOT_SET_UP),
            )
            for instance, said in self._strangers.items()
            if instance not in self._answers
        ]

    def _lost(self, cards: Mapping[str, Mapping[str, Any]]) -> list[Worker]:
        """Those of whom there is nothing but a card; cards of no more use are taken away."""
        alive = {one.said.id for one in self._answers.values()}
        found = []
        for instance, values in cards.items():
            if instance in self._answers or instance in self._strangers:
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
    mismatch = _other_version(said)
    if mismatch:
        return WorkerState.MISMATCHED, mismatch
    if others:
        where = listed(others)
        return WorkerState.DUPLICATE, f"another one of that name runs on {where}: end one"
    return (WorkerState.BUSY if said.busy else WorkerState.READY), ""


def _other_version(said: Answer) -> str:
    """The sentence about its version; empty where it is ours."""
    same = said.version == VERSION
    return "" if same else f"its version is {said.version}, that of the mgr {VERSION}"


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
