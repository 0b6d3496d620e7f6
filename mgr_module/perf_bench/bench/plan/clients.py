"""Check a user's request for a round of clients and plan it; changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Callable, Optional, Protocol

from ...errors import InvalidValue, NotFound, NotNow
from ...model.admission import Ask, Rules
from ...model.arguments import within
from ...model.bench import MIB, Step
from ...model.cluster import Cluster
from ...model.plan import Phase, Plan
from ...model.pool import APPLICATION, COPIES_OF_A_NEW_POOL, POOL, Groups, Pool
from ...model.profile import (
    LOAD_BYTES_PER_OSD,
    LOAD_SECONDS,
    SEARCH_SECONDS,
    Layout,
    Profile,
)
from ...model.rados import (
    MAX_CLIENTS,
    MAX_IN_FLIGHT,
    MAX_SECONDS,
    MAX_THREADS,
    MIN_SECONDS,
    LoadPlan,
)
from ...model.request import Request
from ...model.said import say
from ...model.saturation import Bounds
from ...model.worker import NAME, Worker, WorkerState
from .osds import Look, Prepared, checked_profile, checked_repeats, existing, prepared
from .phases import checked_multiple, parse_size
from .saturation_search import most_runs

# A run may use one part in this many of the pool's free space.
_SHARE_OF_ROOM = 5
_DEFAULTS = {"clients": 4, "threads": 16, "seconds": LOAD_SECONDS}
_SEARCHED = {
    "clients": Bounds().clients,
    "threads": Bounds().threads,
    "seconds": SEARCH_SECONDS,
}
# Seconds of each run for starting, ending and cleaning up.
_AROUND_SECONDS = 5.0


def prepare_load(
    request: Request, cluster: Cluster, pools: Pools, look: Look, rules: Rules, there: There
) -> Prepared:
    """Check a request of kind rados and plan it. Raises NotFound, InvalidValue or NotNow.

    ``there`` returns the workers that answer; it takes a second.
    """
    profile = checked_profile(request)
    if profile.layout is Layout.SEARCH:
        _check_powers(request)
    repeats, _ = checked_repeats(request, profile)
    osds = existing(cluster.osds())
    up = [osd.id for osd in osds if osd.up and osd.in_cluster]
    team = team_of(request, there)
    load, step, targets = _load(request, profile, pools, up, team)
    if load.saturates:
        repeats = most_runs(load.bounds)
    fills = 1 if load.reads else repeats
    plan = Plan(
        profile=profile.name,
        phases=(Phase(replace(step, total_bytes=step.total_bytes * fills // repeats), (targets,)),),
        repeats=repeats,
        seconds=(load.seconds + _AROUND_SECONDS) * (repeats + load.reads),
        basis=f"{load.seconds} s a {'run' if load.saturates else 'repeat'}",
        notes=(*_notes(pools.look(load.pool), load), *team.notes, *team.idle(load.clients)),
        load=load,
    )
    ask = Ask(
        osds=plan.osds,
        bytes_per_osd=plan.most_bytes_per_osd,
        # The objects of a repeat are removed before the next.
        peak_bytes_per_osd=step.total_bytes,
        seconds=plan.most_seconds,
    )
    chosen = tuple(osd for osd in osds if osd.id in set(targets))
    return prepared(profile, plan, chosen, ask, look(targets), rules)


def _load(
    request: Request, profile: Profile, pools: Pools, osds: Sequence[int], team: WorkerTeam
) -> tuple[LoadPlan, Step, tuple[int, ...]]:
    """The load, a step with the most bytes written to each OSD, and the OSDs.

    Raises NotFound, InvalidValue or NotNow.
    """
    (step,) = profile.steps
    saturates = profile.layout is Layout.SEARCH
    defaults = _SEARCHED if saturates else _defaults(team)
    clients, threads, seconds, size = _checked_words(request, step, pools, defaults, team)
    pool = _checked_pool(request, pools)
    size = pool.operation_size(size) if pool else size
    stored = pool.stored_size(size) if pool else size
    targets = tuple(pool.osds if pool else osds)
    if not targets:
        raise NotNow(say("pool-without-osds", "no OSD holds that pool now: see 'ceph osd tree'"))
    copies = pool.copies if pool else COPIES_OF_A_NEW_POOL
    wanted = int(LOAD_BYTES_PER_OSD * len(targets) * seconds / copies)
    most = _most_bytes(pool, stored, clients, pools)
    kept = min(wanted, most)
    load = LoadPlan(
        pool=request.pool or POOL,
        operation=step.operation,
        seconds=seconds,
        clients=clients,
        threads=threads,
        size=size,
        max_objects=most // (stored * clients),
        bytes_per_repeat=most,
        saturates=saturates,
        workers=team.names,
    )
    return load, Step(step.operation, size, int(kept * copies / len(targets))), targets


def _defaults(team: WorkerTeam) -> Mapping[str, int]:
    """The defaults, with the default number of clients for each worker."""
    clients = _DEFAULTS["clients"] * max(1, len(team.names))
    return {**_DEFAULTS, "clients": min(MAX_CLIENTS, clients)}


def _check_powers(request: Request) -> None:
    """Refuse bounds of a search that its loads cannot reach."""
    for name, most in (("clients", MAX_CLIENTS), ("threads", MAX_THREADS)):
        value = getattr(request, name)
        if value is not None and 0 < value <= most and value & (value - 1):
            below = 1 << (value.bit_length() - 1)
            raise InvalidValue(
                say(
                    "power-of-two",
                    "--{name} {given} is not a power of two, as a search needs: give {below} or "
                    "{above}",
                    name=name,
                    given=str(value),
                    below=str(below),
                    above=str(2 * below),
                ),
                field=name,
            )


def _checked_words(
    request: Request, step: Step, pools: Pools, defaults: Mapping[str, int], team: WorkerTeam
) -> tuple[int, int, int, int]:
    """Clients, threads, seconds and size."""
    size = step.block_size if request.size is None else checked_multiple(parse_size(request.size))
    largest = pools.largest_object()
    if size > largest:
        raise InvalidValue(
            say(
                "object-too-large",
                "objects of {size} bytes are over the {most} bytes that osd_max_write_size and "
                "osd_max_object_size of this cluster allow",
                size=str(size),
                most=str(largest),
            ),
            field="size",
        )
    given = {name: getattr(request, name) for name in defaults}
    words = {
        name: value if given[name] is None else given[name] for name, value in defaults.items()
    }
    # A search begins with one client; otherwise every worker runs at least one.
    least = 1 if defaults is _SEARCHED else max(1, len(team.names))
    clients = within("clients", words["clients"], least, MAX_CLIENTS)
    threads = within("threads", words["threads"], 1, MAX_THREADS)
    seconds = within("seconds", words["seconds"], MIN_SECONDS, MAX_SECONDS)
    here = team.share(clients)
    if here * threads * size > MAX_IN_FLIGHT:
        raise InvalidValue(
            say(
                "clients-memory",
                "{clients|client|clients} x {threads|thread|threads} x {size} bytes would hold "
                "{mib} MiB in memory, but at most {most} are allowed: give fewer --clients or "
                "--threads, or a smaller --size",
                clients=here,
                threads=threads,
                size=size,
                mib=here * threads * size // MIB,
                most=MAX_IN_FLIGHT // MIB,
            ),
            field="threads",
        )
    return clients, threads, seconds, size


def _checked_pool(request: Request, pools: Pools) -> Optional[Pool]:
    """The pool to load; None if it is the bench pool and does not exist yet."""
    if request.pool == "":  # as from an empty variable of a script
        raise InvalidValue(
            say("pool-unnamed", "--pool '' names no pool: leave it out for the bench pool"), "pool"
        )
    name = request.pool or POOL
    pool = pools.look(name)
    if pool is None:
        if name == POOL:
            return None
        raise NotFound(say("no-pool", "there is no pool {name}: see 'ceph osd pool ls'", name=name))
    if pool.full:
        raise NotNow(
            say("pool-full", "the pool {name} is full or at its quota: see 'ceph df'", name=name)
        )
    if request.foreign_pool:
        return pool
    others = [app for app in pool.applications if app != APPLICATION]
    if others:
        raise InvalidValue(
            say(
                "pool-of-others",
                "the pool {name} belongs to {applications:all}: add --foreign-pool to load it "
                "anyway",
                name=name,
                applications=others,
            ),
            field="pool",
        )
    if APPLICATION not in pool.applications and pool.objects:
        raise InvalidValue(
            say(
                "pool-with-objects",
                "the pool {name} holds {count} objects that are not the bench's: add "
                "--foreign-pool to load it anyway",
                name=name,
                count=pool.objects,
            ),
            field="pool",
        )
    return pool


def _most_bytes(pool: Optional[Pool], stored: int, clients: int, pools: Pools) -> int:
    """The most bytes that one run may leave in the pool; ``stored`` is the size of an object.

    Raises NotNow if that is too little for an object of each client.
    """
    free = int(pools.free_bytes() / (pool.copies if pool else COPIES_OF_A_NEW_POOL))
    room = pool.room_bytes if pool else None
    bound = (free if room is None else room) // _SHARE_OF_ROOM
    objects = pool.room_objects if pool else None
    if objects is not None:
        bound = min(bound, objects // _SHARE_OF_ROOM * stored)
    if bound < stored * clients:
        raise NotNow(
            say(
                "run-space",
                "there is too little free space: a run may use a fifth of it, which is {bytes} "
                "bytes and less than an object of each client: see 'ceph df'",
                bytes=bound,
            )
        )
    return bound


def _notes(pool: Optional[Pool], load: LoadPlan) -> list[str]:
    notes: list[str] = []
    if load.saturates:
        runs = load.bounds.runs_text(most_runs(load.bounds))
        notes.append(say("plan-most-runs", "at most {runs}", runs=runs))
    if pool is None:
        notes.append(say("plan-makes-pool", "the pool {pool} will be made first", pool=load.pool))
    elif pool.compression not in ("none", "as the OSDs are set"):
        notes.append(
            say(
                "plan-compresses",
                "the pool {pool} compresses data ({how})",
                pool=pool.name,
                how=pool.compression,
            )
        )
    if load.reads:
        notes.append(
            say(
                "plan-writes-first",
                "each client first writes for {seconds} s the objects that it reads",
                seconds=load.seconds,
            )
        )
    return notes


ALL = "all"
_USABLE = (WorkerState.READY, WorkerState.BUSY)
# Unusable workers that are named each; after an upgrade of the mgrs alone it is all of them.
_NAMED = 10

There = Callable[[], Sequence[Worker]]


class Pools(Protocol):
    """Pools, for rounds of clients."""

    def look(self, name: str) -> Optional[Pool]:
        """The pool of that name, from the maps; None if there is none."""

    def flags(self, name: str) -> Optional[Collection[str]]:
        """The flags of the pool of that name, from the maps; None if there is none."""

    def ensure(self, name: str, ended: Callable[[], bool]) -> str:
        """Make the bench pool if it is missing; wait until the pool can be used.

        Returns an identifier that stays valid if the pool is renamed. Waits at most a minute,
        longer for very many placement groups. Raises CommandFailed, and NotNow for a pool of the
        bench's name that belongs to another application.
        """

    def groups(self, name: str, osds: Collection[int]) -> Groups:
        """By OSD the placement groups whose acting primary it is now.

        Raises NotNow if the pool does not exist.
        """

    def free_bytes(self) -> int:
        """The free bytes of all devices."""

    def largest_object(self) -> int:
        """The largest write of a client in bytes."""

    def messenger_modes(self) -> Mapping[str, str]:
        """The messenger modes between clients and OSDs, by option."""


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
