"""Choose the workers of a round's clients, by ``--workers``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable

from ...errors import InvalidValue, NotFound, NotNow
from ...model.pool import POOL
from ...model.rados import MAX_CLIENTS
from ...model.request import Request
from ...model.said import say
from ...model.worker import NAME, Worker, WorkerState

ALL = "all"
_USABLE = (WorkerState.READY, WorkerState.BUSY)
# Unusable workers that are named each; after an upgrade of the mgrs alone it is all of them.
_NAMED = 10

There = Callable[[], Sequence[Worker]]


@dataclass(frozen=True)
class WorkerTeam:
    """Names of workers, none for clients on the mgr's host; ``notes`` name unusable workers."""

    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def share(self, clients: int) -> int:
        """The most clients that one host gets."""
        return -(-clients // max(1, len(self.names)))

    def idle(self, clients: int) -> tuple[str, ...]:
        """A note on those that run none of so many clients; only a search has fewer clients."""
        without = self.names[clients:]
        if not without:
            return ()
        return (
            say(
                "plan-workers-idle",
                "{count} of {all} workers {count#runs|run} no client, because the search has at "
                "most {most|client|clients} (--clients): {names:list}",
                count=len(without),
                all=len(self.names),
                most=clients,
                names=without,
            ),
        )


def team_of(request: Request, there: There) -> WorkerTeam:
    """The workers that the user named, or all usable ones.

    ``there`` is called only if workers are wanted. Raises InvalidValue, NotFound or NotNow.
    """
    if request.workers is None:
        return WorkerTeam()
    if (request.pool or POOL) != POOL:
        raise InvalidValue(
            say(
                "workers-pool",
                "--workers serve the pool {pool} only, because their key allows no other",
                pool=POOL,
            ),
            "workers",
        )
    if request.workers == ALL:
        return _all(there())
    names = request.workers.split(",")
    if len(names) > MAX_CLIENTS:
        raise InvalidValue(
            say(
                "workers-most",
                "--workers names {count} workers, but a round has at most {most} clients: name "
                "fewer",
                count=len(names),
                most=MAX_CLIENTS,
            ),
            field="workers",
        )
    for name in names:
        if not NAME.fullmatch(name):
            raise InvalidValue(
                say(
                    "workers-list",
                    "--workers {given} is neither 'all' nor a list of names with commas",
                    given=ascii(request.workers),
                ),
                field="workers",
            )
        if names.count(name) > 1:
            raise InvalidValue(
                say("worker-twice", "--workers has {name} twice", name=name), field="workers"
            )
    return WorkerTeam(tuple(_usable(names, there())))


def _all(workers: Sequence[Worker]) -> WorkerTeam:
    names = tuple(one.id for one in workers if one.state in _USABLE)
    unusable = [one for one in workers if one.state not in _USABLE]
    left_out = [
        say(
            "plan-worker-left-out",
            "worker {id} on {host} is left out, it is {state}: {why}",
            id=one.id,
            host=one.host,
            state=one.state.value,
            why=one.note,
        )
        for one in unusable[:_NAMED]
    ]
    if len(unusable) > _NAMED:
        left_out.append(
            say(
                "plan-workers-more",
                "{count|more worker is|more workers are} left out: see 'ceph perf-bench worker ls'",
                count=len(unusable) - _NAMED,
            )
        )
    if not names:
        why = f" ({'; '.join(left_out)})" if left_out else ""
        raise NotNow(f"there is no worker that can be used{why}: see 'ceph perf-bench worker ls'")
    if len(names) > MAX_CLIENTS:
        left_out.append(
            say(
                "plan-workers-most",
                "{count} of {all} workers {count#is|are} left out, because a round has at most "
                "{most} clients: {names:list}",
                count=len(names) - MAX_CLIENTS,
                all=len(names),
                most=MAX_CLIENTS,
                names=names[MAX_CLIENTS:],
            )
        )
    return WorkerTeam(names[:MAX_CLIENTS], tuple(left_out))


def _usable(names: Sequence[str], workers: Sequence[Worker]) -> Sequence[str]:
    for name in names:
        named = [one for one in workers if one.id == name]
        if not named:
            raise NotFound(
                say(
                    "no-worker",
                    "there is no worker {name}: see 'ceph perf-bench worker ls'",
                    name=name,
                )
            )
        if not any(one.state in _USABLE for one in named):
            raise NotNow(
                say(
                    "worker-unusable",
                    "worker {name} is {state}: {note}",
                    name=name,
                    state=named[0].state.value,
                    note=named[0].note,
                )
            )
    return names
