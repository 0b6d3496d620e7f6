"""Workers: processes on other hosts that run clients of a round, and how a mgr talks with them.

They meet in RADOS, in a namespace of the bench's own pool; no port is opened. A mgr's side writes
what it wants onto the **board** and says "look" by notify; a worker tells what happens in an object
of its own for each run, and answers a roll call by notify to the **desk**. Each leaves
a **card** with the others', from which it is known once it is gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Optional

from ..errors import InvalidValue
from .pool import POOL
from .rados import (
    MAX_CLIENTS,
    MAX_IN_FLIGHT,
    MAX_SECONDS,
    MAX_THREADS,
    MIN_SECONDS,
    OPERATIONS,
    LoadOrder,
)

NAMESPACE = "workers"
ORDERS, REPLIES, REGISTRATIONS = "board", "desk", "cards"
# A worker that sees no new beat of the mgr's side for so long kills its clients; one of which
# nothing is heard for so long is lost. A saturated cluster takes seconds for an operation.
LEASE_SECONDS = 10.0
# How often either side shows that it is there while clients run.
BEAT_SECONDS = 1.0
# What can be a worker's name; it stands in tables, in lists with commas and in names of objects.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Where clients may write: namespaces that rounds have.
_ROUND = re.compile(r"round-[!-~]{1,200}")
_MAX_OBJECT = 128 << 20


class WorkerState(str, Enum):
    """How a worker is.

    READY and BUSY ones answer; a DUPLICATE has the name of another, a MISMATCHED one another
    version than the mgr, and a LOST one does not answer.
    """

    READY = "ready"
    BUSY = "busy"
    LOST = "lost"
    DUPLICATE = "duplicate"
    MISMATCHED = "mismatched"


def told_in(run: str, instance: str) -> str:
    """The object in which a worker tells of a run."""
    return f"said-{run}-{instance}"


@dataclass(frozen=True)
class Worker:
    """One process. ``last_seen`` is unix seconds by the mgr's clock, as far as that can be told.

    ``instance`` is another one each time it starts; ``clock_offset`` is how many seconds its
    clock is ahead of the mgr's, within ``clock_error``, both None for one that does not answer.
    """

    id: str
    host: str
    version: str
    instance: str
    state: WorkerState
    last_seen: float
    clock_offset: Optional[float] = None
    clock_error: Optional[float] = None
    note: str = ""


def checked_order(found: Any) -> LoadOrder:
    """The order that a worker was given, if it is one that it may carry out.

    The list is closed: ``rados bench``, in a round's namespace of the bench's own pool, within
    the bounds that a round has. Raises InvalidValue with the field.
    """
    names = {field.name for field in fields(LoadOrder)}
    if not isinstance(found, dict) or set(found) != names:
        raise InvalidValue(f"an order has the fields {', '.join(sorted(names))}", field="load")
    if found["pool"] != POOL:
        raise InvalidValue(f"a worker serves the pool {POOL} alone", field="pool")
    if not isinstance(found["namespace"], str) or not _ROUND.fullmatch(found["namespace"]):
        raise InvalidValue("the namespace is not one of a round", field="namespace")
    if found["operation"] not in OPERATIONS:
        raise InvalidValue(f"the operation is none of {', '.join(OPERATIONS)}", field="operation")
    for name, least, most in (
        ("seconds", MIN_SECONDS, MAX_SECONDS),
        ("clients", 1, MAX_CLIENTS),
        ("threads", 1, MAX_THREADS),
        ("size", 1, _MAX_OBJECT),
        ("max_objects", 0, 1 << 40),
    ):
        value = found[name]
        if type(value) is not int or not least <= value <= most:
            raise InvalidValue(f"{name} is not within {least} to {most}", field=name)
    if not isinstance(found["workers"], list):
        raise InvalidValue("the workers are no list", field="workers")
    return LoadOrder(**{**found, "workers": tuple(map(str, found["workers"]))})


def checked_numbers(found: Any, order: LoadOrder) -> tuple[int, ...]:
    """Which of the order's clients a worker is to run. Raises InvalidValue."""
    good = (
        isinstance(found, list)
        and found
        and all(type(number) is int and 0 <= number < order.clients for number in found)
    )
    if not good:
        raise InvalidValue("the clients are none of the order's", field="workers")
    if len(found) * order.threads * order.size > MAX_IN_FLIGHT:
        raise InvalidValue(
            f"{len(found)} clients would hold over {MAX_IN_FLIGHT >> 20} MiB in memory",
            field="threads",
        )
    return tuple(found)
