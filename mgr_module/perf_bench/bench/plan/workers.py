"""Which workers a round's clients run on: from ``--workers`` to their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable

from ...errors import InvalidValue, NotFound, NotNow
from ...model.pool import POOL
from ...model.request import Request
from ...model.worker import NAME, Worker, WorkerState

ALL = "all"
_USABLE = (WorkerState.READY, WorkerState.BUSY)

There = Callable[[], Sequence[Worker]]


@dataclass(frozen=True)
class WorkerTeam:
    """Names of workers, none for processes beside the mgr; ``notes`` tell who is left out."""

    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def share(self, clients: int) -> int:
        """The most clients that one host gets."""
        return -(-clients // max(1, len(self.names)))


def team_of(request: Request, there: There) -> WorkerTeam:
    """The workers that a user named, or all that can be used.

    ``there`` is asked only if any are wanted. Raises InvalidValue, NotFound or NotNow.
    """
    if request.workers is None:
        return WorkerTeam()
    if (request.pool or POOL) != POOL:
        raise InvalidValue(
            f"--workers serve the pool {POOL} alone, for that is all their key allows", "workers"
        )
    if request.workers == ALL:
        return _all(there())
    names = request.workers.split(",")
    for name in names:
        if not NAME.fullmatch(name):
            raise InvalidValue(
                f"--workers {request.workers!a} is not 'all' nor names of workers with commas",
                field="workers",
            )
        if names.count(name) > 1:
            raise InvalidValue(f"--workers has {name} twice", field="workers")
    return WorkerTeam(tuple(_usable(names, there())))


def _all(found: Sequence[Worker]) -> WorkerTeam:
    names = tuple(one.id for one in found if one.state in _USABLE)
    left_out = tuple(
        f"worker {one.id} on {one.host} is left out, it is {one.state.value}: {one.note}"
        for one in found
        if one.state not in _USABLE
    )
    if not names:
        why = f" ({'; '.join(left_out)})" if left_out else ""
        raise NotNow(f"there is no worker that can be used{why}: see 'ceph perf-bench worker ls'")
    return WorkerTeam(names, left_out)


def _usable(names: Sequence[str], found: Sequence[Worker]) -> Sequence[str]:
    for name in names:
        there = [one for one in found if one.id == name]
        if not there:
            raise NotFound(f"there is no worker {name}: see 'ceph perf-bench worker ls'")
        if not any(one.state in _USABLE for one in there):
            raise NotNow(f"worker {name} is {there[0].state.value}: {there[0].note}")
    return names
