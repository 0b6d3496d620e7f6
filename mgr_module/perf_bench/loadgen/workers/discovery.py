"""Discovers which workers answer, and how far their clocks differ from the mgr's."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.said import say
from ...model.worker import NAME, ORDERS, REGISTRATIONS, REPLIES, Worker, WorkerState
from ...version import VERSION
from .proofs import ANSWER, is_signed
from .rados_channel import RadosChannel
from .untrusted import MOST_WORKERS, Answer, Registration, read

# Live workers answer within milliseconds, on a saturated cluster within a second.
_CALL_SECONDS = 1.5
# Number of calls; the fastest answer gives the most exact clock offset.
_CALLS = 3
# A registration that was not renewed for this long is removed.
_FORGET_SECONDS = 7 * 86400.0
_NOT_SET_UP = say(
    "worker-no-secret", "it has no secret at the monitors: see {page}", page="docs/workers.md"
)
_UNPROVEN = say(
    "worker-unproven",
    "it does not prove that it has the secret of this name: see {page}",
    page="docs/workers.md",
)


@dataclass(frozen=True)
class WorkerAnswer:
    """A worker's answer, with its clock offset and the offset's error in seconds."""

    answer: Answer
    clock_offset: float
    clock_error: float


class Discovery:
    """Calls the workers of a channel. Not thread-safe."""

    def __init__(self, channel: RadosChannel) -> None:
        self._channel = channel
        self._lock = threading.Condition()
        self._call = ""
        # When it was sent: unix seconds, and those of the monotonic clock.
        self._called_at = self._called = 0.0
        # Secrets of the workers by ID; they verify answers.
        self.secrets: Mapping[str, str] = {}
        # By instance: the answer with the smallest clock error so far.
        self._answers: dict[str, WorkerAnswer] = {}
        # By instance: answers without a valid proof.
        self._unverified: dict[str, Answer] = {}
        # Instances that answered the current call.
        self._present: set[str] = set()

    def call(self) -> list[Worker]:
        """Return all workers, sorted by name. Raises CommandFailed if RADOS fails."""
        self._answers, self._unverified = {}, {}
        self.secrets = self._channel.secrets()
        registrations = self._channel.notes(REGISTRATIONS)
        self._channel.watch(REPLIES, self._notified)
        try:
            for number in range(_CALLS):
                known = set(registrations if number == 0 else self._answers)
                if number and not known:
                    break
                self._one(known)
        finally:
            self._channel.unwatch()
        found = [*_workers(self._answers), *self._unproven(), *self._lost(registrations)]
        if not found:  # without workers no object stays in the pool
            for name in (ORDERS, REPLIES, REGISTRATIONS):
                self._channel.remove(name)
        return sorted(found, key=lambda one: (one.id, one.instance))

    def _one(self, known: Iterable[str]) -> None:
        with self._lock:
            self._call, self._present = uuid.uuid4().hex, set()
            self._called_at, self._called = time.time(), time.monotonic()
        self._channel.notify(ORDERS, {"call": self._call, "at": self._called_at})
        with self._lock:
            self._lock.wait_for(lambda: self._present.issuperset(known), _CALL_SECONDS)

    def _notified(self, values: Mapping[str, Any]) -> None:
        """Take an answer. Runs on a thread of librados."""
        came = time.monotonic()
        found = read(Answer, values)
        with self._lock:
            if found is None or found.answer != self._call:
                return
            secret = self.secrets.get(found.id)
            if secret is None or not is_signed(secret, values, ANSWER):
                if len(self._unverified) < MOST_WORKERS:
                    self._unverified[found.instance] = found
                    # Without a secret nothing better can come. Else it may be forged, and the
                    # worker itself answers later.
                    if secret is None:
                        self._present.add(found.instance)
                        self._lock.notify_all()
                return
            best = self._answers.get(found.instance)
            if best is None and len(self._answers) >= MOST_WORKERS:
                return
            error = (came - self._called) / 2
            if best is None or error < best.clock_error:
                offset = found.clock - self._called_at - error
                self._answers[found.instance] = WorkerAnswer(found, offset, error)
            self._present.add(found.instance)
            self._lock.notify_all()

    def _unproven(self) -> list[Worker]:
        """Return the workers that answered without a valid proof; no run uses them."""
        return [
            Worker(
                id=answer.id,
                host=answer.host,
                version=answer.version,
                instance=instance,
                state=WorkerState.MISMATCHED,
                last_seen=time.time(),
                note=_other_version(answer)
                or (_UNPROVEN if answer.id in self.secrets else _NOT_SET_UP),
            )
            for instance, answer in self._unverified.items()
            if instance not in self._answers
        ]

    def _lost(self, registrations: Mapping[str, Mapping[str, Any]]) -> list[Worker]:
        """Return the workers that only have a registration; remove obsolete registrations."""
        alive = {one.answer.id for one in self._answers.values()}
        found = []
        for instance, values in registrations.items():
            if instance in self._answers or instance in self._unverified:
                continue
            left = read(Registration, values) if NAME.fullmatch(instance) else None
            # Invalid, replaced by a restarted worker, or too old.
            if left is None or left.id in alive or time.time() - _last_seen(left) > _FORGET_SECONDS:
                self._channel.forget(REGISTRATIONS, instance)
            else:
                found.append(_lost(left, instance))
        return found


def _workers(answers: Mapping[str, WorkerAnswer]) -> list[Worker]:
    names = Counter(one.answer.id for one in answers.values())
    found = []
    for instance, one in answers.items():
        others = sorted(
            other.answer.host
            for there, other in answers.items()
            if there != instance and other.answer.id == one.answer.id
        )
        state, note = _state(one.answer, others if names[one.answer.id] > 1 else [])
        found.append(
            Worker(
                id=one.answer.id,
                host=one.answer.host,
                version=one.answer.version,
                instance=instance,
                state=state,
                last_seen=time.time(),
                clock_offset=one.clock_offset,
                clock_error=one.clock_error,
                note=note,
            )
        )
    return found


def _state(answer: Answer, others: list[str]) -> tuple[WorkerState, str]:
    mismatch = _other_version(answer)
    if mismatch:
        return WorkerState.MISMATCHED, mismatch
    if others:
        return WorkerState.DUPLICATE, say(
            "worker-duplicate",
            "another one of that name runs on {hosts:list}: end one",
            hosts=others,
        )
    return (WorkerState.BUSY if answer.busy else WorkerState.READY), ""


def _other_version(answer: Answer) -> str:
    """Return a note if the worker's version is not the mgr's, else empty."""
    if answer.version == VERSION:
        return ""
    return say(
        "worker-version",
        "its version is {version}, that of the mgr {own}",
        version=answer.version,
        own=VERSION,
    )


def _last_seen(left: Registration) -> float:
    """Return when the worker renewed its registration, in unix seconds by the mgr's clock."""
    return left.seen - left.offset


def _lost(left: Registration, instance: str) -> Worker:
    return Worker(
        id=left.id,
        host=left.host,
        version=left.version,
        instance=instance,
        state=WorkerState.LOST,
        last_seen=_last_seen(left),
        note=say("worker-silent", "it does not answer"),
    )
