"""Workers: processes on other hosts that run clients of a round, and what they may be ordered."""

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

# A worker that hears nothing of the mgr for this time kills its clients; one that the mgr does not
# hear of for this time is lost. It is long because mgrs stand still for seconds.
LEASE_SECONDS = 10.0
# A worker's name; it appears in tables, in lists with commas and in caps of keys.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Namespaces of rounds, the only ones that clients may write to.
_ROUND = re.compile(r"round-[!-~]{1,200}")
_MAX_OBJECT = 128 << 20


class WorkerState(str, Enum):
    """The state of a worker.

    READY and BUSY workers answer; a DUPLICATE has the name of another one, a MISMATCHED one has
    another version than the mgr, and a LOST one does not answer.
    """

    READY = "ready"
    BUSY = "busy"
    LOST = "lost"
    DUPLICATE = "duplicate"
    MISMATCHED = "mismatched"


@dataclass(frozen=True)
class Worker:
    """One worker. ``last_seen`` is unix seconds by the mgr's clock.

    ``instance`` differs each time it starts. Its clock is ahead of the mgr's by ``clock_offset``
    seconds, plus or minus ``clock_error``; both are None if it does not answer.
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


def checked_order(order: Any) -> LoadOrder:
    """Check an order; a worker carries out no others.

    Allowed is only ``rados bench``, in a round's namespace of the bench pool, within the limits of
    rounds. Raises InvalidValue with the field.
    """
    names = {field.name for field in fields(LoadOrder)}
    if not isinstance(order, dict) or set(order) != names:
        raise InvalidValue(f"an order has the fields {', '.join(sorted(names))}", field="load")
    if order["pool"] != POOL:
        raise InvalidValue(f"a worker serves the pool {POOL} only", field="pool")
    if not isinstance(order["namespace"], str) or not _ROUND.fullmatch(order["namespace"]):
        raise InvalidValue("the namespace is not one of a round", field="namespace")
    if order["operation"] not in OPERATIONS:
        raise InvalidValue(f"the operation is none of {', '.join(OPERATIONS)}", field="operation")
    for name, least, most in (
        ("seconds", MIN_SECONDS, MAX_SECONDS),
        ("clients", 1, MAX_CLIENTS),
        ("threads", 1, MAX_THREADS),
        ("size", 1, _MAX_OBJECT),
        ("max_objects", 0, 1 << 40),
    ):
        value = order[name]
        if type(value) is not int or not least <= value <= most:
            raise InvalidValue(f"{name} is not within {least} to {most}", field=name)
    workers = order["workers"]
    named = isinstance(workers, list) and all(
        isinstance(name, str) and NAME.fullmatch(name) for name in workers
    )
    if not named or len(workers) > MAX_CLIENTS:
        raise InvalidValue(
            f"the workers are not a list of at most {MAX_CLIENTS} names", field="workers"
        )
    return LoadOrder(**{**order, "workers": tuple(workers)})


def checked_numbers(numbers: Any, order: LoadOrder) -> tuple[int, ...]:
    """Check the numbers of the order's clients that a worker must run. Raises InvalidValue."""
    good = (
        isinstance(numbers, list)
        and numbers
        and all(type(number) is int and 0 <= number < order.clients for number in numbers)
    )
    if not good:
        raise InvalidValue("the clients are none of the order's", field="workers")
    if len(set(numbers)) != len(numbers):
        raise InvalidValue("a client is ordered twice", field="workers")
    if len(numbers) * order.threads * order.size > MAX_IN_FLIGHT:
        raise InvalidValue(
            f"{len(numbers)} clients would hold over {MAX_IN_FLIGHT >> 20} MiB in memory",
            field="threads",
        )
    return tuple(numbers)
