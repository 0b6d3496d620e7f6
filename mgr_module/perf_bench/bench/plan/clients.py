"""Check a user's request for a round of clients and plan it; changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional, Protocol

from ...errors import InvalidValue, NotFound, NotNow
from ...model import rados
from ...model.admission import Ask
from ...model.cluster import Cluster
from ...model.phrases import listed, plural, within
from ...model.plan import (
    LOAD_BYTES_PER_OSD,
    LOAD_SECONDS,
    MIB,
    SEARCH_SECONDS,
    Layout,
    Phase,
    Plan,
    Request,
    Step,
)
from ...model.rados import (
    Groups,
    LoadPlan,
    LoadPoint,
    LoadRun,
    Pool,
    SearchLoad,
    Worker,
    WorkerState,
)
from .osds import (
    Draft,
    checked_multiple,
    checked_profile,
    checked_repeats,
    existing,
    parse_size,
)

# A run may use one part in this many of the pool's free space.
_SHARE_OF_ROOM = 5
# Clients of a host; threads and seconds. Those of a search are its bounds.
_CLIENTS, _DEFAULTS = 4, (16, LOAD_SECONDS)
_SEARCHED = (rados.MOST_LOAD.clients, rados.MOST_LOAD.threads, SEARCH_SECONDS)
# Seconds of each run for starting, ending and cleaning up.
_AROUND_SECONDS = 5.0


def prepare_load(request: Request, cluster: Cluster, pools: Pools, there: There) -> Draft:
    """Check a request of kind rados and plan it. Raises NotFound, InvalidValue or NotNow.

    ``there`` returns the workers that answer; it takes a second.
    """
    profile = checked_profile(request)
    searches, (step,) = profile.layout is Layout.SEARCH, profile.steps
    if searches:
        _check_powers(request)
    repeats, _ = checked_repeats(request, profile)
    osds = existing(cluster.osds())
    team = team_of(request, there)
    size = _checked_size(request, step, pools)
    clients, threads, seconds = _checked_words(request, searches, team, size)
    pool = _checked_pool(request, pools)
    up = [osd.id for osd in osds if osd.up and osd.in_cluster]
    targets = tuple(pool.osds if pool else up)
    if not targets:
        raise NotNow("no OSD holds that pool now: see 'ceph osd tree'")
    size = pool.operation_size(size) if pool else size
    stored = pool.stored_size(size) if pool else size
    copies = pool.copies if pool else rados.COPIES_OF_A_NEW_POOL
    most = _most_bytes(pool, copies, stored, clients, pools)
    load = LoadPlan(
        pool=request.pool or rados.POOL,
        operation=step.operation,
        seconds=seconds,
        clients=clients,
        threads=threads,
        size=size,
        max_objects=most // (stored * clients),
        bytes_per_repeat=most,
        saturates=searches,
        workers=team.names,
    )
    if searches:
        repeats = most_runs(load.most)
    # The most that a repeat writes to an OSD; its objects are removed before the next.
    kept = min(int(LOAD_BYTES_PER_OSD * len(targets) * seconds / copies), most)
    peak = int(kept * copies / len(targets))
    fills = 1 if load.reads else repeats
    mean = Step(step.operation, size, peak * fills // repeats)
    plan = Plan(
        profile=profile.name,
        phases=(Phase(mean, (targets,)),),
        repeats=repeats,
        seconds=(seconds + _AROUND_SECONDS) * (repeats + load.reads),
        basis=f"{seconds} s a {'run' if searches else 'repeat'}",
        notes=(*_notes(pool, load), *team.notes, *team.idle(clients)),
        load=load,
    )
    ask = Ask(
        osds=plan.osds,
        bytes_per_osd=plan.most_bytes_per_osd,
        peak_bytes_per_osd=peak,
        seconds=plan.most_seconds,
    )
    chosen = set(targets)
    return Draft(plan, tuple(osd for osd in osds if osd.id in chosen), ask)


def _check_powers(request: Request) -> None:
    """Refuse bounds of a search that its loads cannot reach."""
    for name, most in (("clients", rados.MAX_CLIENTS), ("threads", rados.MAX_THREADS)):
        value = getattr(request, name)
        if value is not None and 0 < value <= most and value & (value - 1):
            below = 1 << (value.bit_length() - 1)
            raise InvalidValue(
                f"--{name} {value} is not a power of two, as a search needs: give {below} "
                f"or {2 * below}",
                field=name,
            )


def _checked_size(request: Request, step: Step, pools: Pools) -> int:
    size = step.block_size if request.size is None else checked_multiple(parse_size(request.size))
    largest = pools.largest_object()
    if size > largest:
        raise InvalidValue(
            f"objects of {size} bytes are over the {largest} bytes that "
            "osd_max_write_size and osd_max_object_size of this cluster allow",
            field="size",
        )
    return size


def _checked_words(
    request: Request, searches: bool, team: WorkerTeam, size: int
) -> tuple[int, int, int]:
    """Clients, threads and seconds."""
    workers = max(1, len(team.names))
    given = (request.clients, request.threads, request.seconds)
    defaults = _SEARCHED if searches else (min(rados.MAX_CLIENTS, _CLIENTS * workers), *_DEFAULTS)
    clients, threads, seconds = (
        default if value is None else value for value, default in zip(given, defaults)
    )
    # A search begins with one client; otherwise every worker runs at least one.
    within("clients", clients, 1 if searches else workers, rados.MAX_CLIENTS)
    within("threads", threads, 1, rados.MAX_THREADS)
    within("seconds", seconds, rados.MIN_SECONDS, rados.MAX_SECONDS)
    here = -(-clients // workers)
    if here * threads * size > rados.MAX_IN_FLIGHT:
        raise InvalidValue(
            f"{plural(here, 'client')} x {plural(threads, 'thread')} x {size} bytes "
            f"would hold {here * threads * size // MIB} MiB in memory, but at most "
            f"{rados.MAX_IN_FLIGHT // MIB} are allowed: give fewer --clients or --threads, or "
            "a smaller --size",
            field="threads",
        )
    return clients, threads, seconds


def _checked_pool(request: Request, pools: Pools) -> Optional[Pool]:
    """The pool to load; None if it is the bench pool and does not exist yet."""
    if request.pool == "":  # as from an empty variable of a script
        raise InvalidValue("--pool '' names no pool: leave it out for the bench pool", "pool")
    name = request.pool or rados.POOL
    pool = pools.look(name)
    if pool is None:
        if name == rados.POOL:
            return None
        raise NotFound(f"there is no pool {name}: see 'ceph osd pool ls'")
    if pool.full:
        raise NotNow(f"the pool {name} is full or at its quota: see 'ceph df'")
    if request.foreign_pool:
        return pool
    others = [app for app in pool.applications if app != rados.APPLICATION]
    if others:
        raise InvalidValue(
            f"the pool {name} belongs to {', '.join(others)}: add --foreign-pool to load it anyway",
            field="pool",
        )
    if rados.APPLICATION not in pool.applications and pool.objects:
        raise InvalidValue(
            f"the pool {name} holds {pool.objects} objects that are not the bench's: "
            "add --foreign-pool to load it anyway",
            field="pool",
        )
    return pool


def _most_bytes(
    pool: Optional[Pool], copies: float, stored: int, clients: int, pools: Pools
) -> int:
    """The most bytes that one run may leave in the pool; ``stored`` is the size of an object.

    Raises NotNow if that is too little for an object of each client.
    """
    free = int(pools.free_bytes() / copies)
    room = pool.room_bytes if pool else None
    bound = (free if room is None else room) // _SHARE_OF_ROOM
    objects = pool.room_objects if pool else None
    if objects is not None:
        bound = min(bound, objects // _SHARE_OF_ROOM * stored)
    if bound < stored * clients:
        raise NotNow(
            "there is too little free space: a run may use a fifth of it, which is "
            f"{bound} bytes and less than an object of each client: see 'ceph df'"
        )
    return bound


def _notes(pool: Optional[Pool], load: LoadPlan) -> list[str]:
    notes: list[str] = []
    if load.saturates:
        notes.append(f"at most {most_runs(load.most)} runs")
    if pool is None:
        notes.append(f"the pool {load.pool} will be made first")
    elif pool.compression not in ("none", "as the OSDs are set"):
        notes.append(f"the pool {pool.name} compresses data ({pool.compression})")
    if load.reads:
        notes.append(f"each client first writes for {load.seconds} s the objects that it reads")
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

    def idle(self, clients: int) -> tuple[str, ...]:
        """A note on those that run none of so many clients; only a search has fewer clients."""
        without = self.names[clients:]
        why = f"the search has at most {plural(clients, 'client')} (--clients)"
        count = f"{len(without)} of {len(self.names)} workers"
        return (f"{count} run no client, because {why}: {listed(without)}",) if without else ()


def team_of(request: Request, there: There) -> WorkerTeam:
    """The workers that the user named, or all usable ones.

    ``there`` is called only if workers are wanted. Raises InvalidValue, NotFound or NotNow.
    """
    if request.workers is None:
        return WorkerTeam()
    if (request.pool or rados.POOL) != rados.POOL:
        raise InvalidValue(
            f"--workers serve the pool {rados.POOL} only, because their key allows no other",
            "workers",
        )
    if request.workers == ALL:
        return _all(there())
    names = request.workers.split(",")
    if len(names) > rados.MAX_CLIENTS:
        raise InvalidValue(
            f"--workers names {len(names)} workers, but a round has at most "
            f"{rados.MAX_CLIENTS} clients: name fewer",
            field="workers",
        )
    for name in names:
        if not rados.NAME.fullmatch(name):
            raise InvalidValue(
                f"--workers {request.workers!a} is neither 'all' nor a list of names with commas",
                field="workers",
            )
        if names.count(name) > 1:
            raise InvalidValue(f"--workers has {name} twice", field="workers")
    return WorkerTeam(tuple(_usable(names, there())))


def _all(workers: Sequence[Worker]) -> WorkerTeam:
    names = tuple(one.id for one in workers if one.state in _USABLE)
    left_out = [
        f"worker {one.id} on {one.host} is left out, it is {one.state.value}: {one.note}"
        for one in workers
        if one.state not in _USABLE
    ]
    if len(left_out) > _NAMED:
        more = plural(len(left_out) - _NAMED, "more worker is", "more workers are")
        left_out[_NAMED:] = [f"{more} left out: see 'ceph perf-bench worker ls'"]
    if not names:
        why = f" ({'; '.join(left_out)})" if left_out else ""
        raise NotNow(f"there is no worker that can be used{why}: see 'ceph perf-bench worker ls'")
    if names[rados.MAX_CLIENTS :]:
        most = f"a round has at most {rados.MAX_CLIENTS} clients"
        count = f"{len(names) - rados.MAX_CLIENTS} of {len(names)} workers"
        left_out.append(
            f"{count} are left out, because {most}: {listed(names[rados.MAX_CLIENTS :])}"
        )
    return WorkerTeam(names[: rados.MAX_CLIENTS], tuple(left_out))


def _usable(names: Sequence[str], workers: Sequence[Worker]) -> Sequence[str]:
    for name in names:
        named = [one for one in workers if one.id == name]
        if not named:
            raise NotFound(f"there is no worker {name}: see 'ceph perf-bench worker ls'")
        if not any(one.state in _USABLE for one in named):
            raise NotNow(f"worker {name} is {named[0].state.value}: {named[0].note}")
    return names


# --- the search for the load that saturates a cluster ---------------------------------------------
#
# The next load depends only on the runs so far, so that another mgr continues in the same way:
#
# 1. *climb*: multiply the threads of one client by four, then the clients, then the threads again,
#    each until throughput no longer rises beyond noise while latency rises, or it collapses;
# 2. *refine*: try the neighbours of the best load so far, with twice or half of either number;
# 3. *confirm*: repeat the best load and the knee.
#
# At most a third of the grid's runs are made (up to seven in grids of under 21 loads); the last
# ones are reserved for the confirmation.

# The rise of latency that shows saturation: by Little's law it is a factor of four when four times
# the operations in flight give the same throughput.
_LATENCY_TAKES_OFF = 1.5
# Below this share of the best throughput the cluster has collapsed.
_COLLAPSED = 0.8
# Runs of the peak; the knee has rados.CONFIRMED runs.
_PEAK_RUNS = 3
_KEPT = _PEAK_RUNS - 1 + rados.CONFIRMED - 1
# The least number of loads that are tried, because a third of a small grid is too few.
_LEAST = 4


def most_runs(most: SearchLoad) -> int:
    """The most runs of a search: a third of the grid's, but at least enough for a result."""
    return max(_KEPT + min(_LEAST, len(most.grid)), len(most.grid) // 3)


def next_load(runs: Sequence[LoadRun], most: SearchLoad) -> Optional[SearchLoad]:
    """The load to run next; None if the search is complete."""
    left = most_runs(most) - len(runs)
    if left <= 0:
        return None
    points = {point.load: point for point in rados.curve(runs)}
    if left > _KEPT:
        load = _next_rung(points, most) or _next_neighbour(points, most)
        if load is not None:
            return load
    return _unconfirmed(points)


def _unconfirmed(points: dict[SearchLoad, LoadPoint]) -> Optional[SearchLoad]:
    """The load to repeat: the peak, then the knee, then the peak once more."""
    peak = rados.highest(points.values())
    knee = rados.knee_of(points.values(), peak)
    for point, wanted in ((peak, rados.CONFIRMED), (knee, rados.CONFIRMED), (peak, _PEAK_RUNS)):
        if point.runs < wanted:
            return point.load
    return None


def _next_rung(points: dict[SearchLoad, LoadPoint], most: SearchLoad) -> Optional[SearchLoad]:
    """The next load of the climb; None if the climb is complete."""
    alone = [SearchLoad(1, threads) for threads in _fours(most.threads)]
    rung = _next_of(points, alone)
    if rung is not None:
        return rung
    deep = _highest_of(points, alone).threads
    together = [SearchLoad(clients, deep) for clients in _fours(most.clients)]
    rung = _next_of(points, together)
    if rung is not None:
        return rung
    wide = _highest_of(points, together).clients
    if wide == 1:
        return None
    return _next_of(points, [SearchLoad(wide, t) for t in _fours(most.threads) if t >= deep])


def _highest_of(points: dict[SearchLoad, LoadPoint], loads: Iterable[SearchLoad]) -> SearchLoad:
    return rados.highest(points[load] for load in loads if load in points).load


def _fours(most: int) -> list[int]:
    """1, 4, 16 … and ``most``, a power of two."""
    return sorted({most, *(1 << power for power in range(0, most.bit_length(), 2))})


def _next_of(
    points: dict[SearchLoad, LoadPoint], rungs: Sequence[SearchLoad]
) -> Optional[SearchLoad]:
    """The first rung without a run; None if the rungs below are saturated, or all have runs."""
    below: list[LoadPoint] = []
    for rung in rungs:
        if rung not in points:
            return None if _saturated(below) else rung
        below.append(points[rung])
    return None


def _saturated(rungs: Sequence[LoadPoint]) -> bool:
    if len(rungs) < 2:
        return False
    *before, last = rungs
    best = rados.highest(before)
    gained = last.bytes_per_second / best.bytes_per_second
    slower = last.mean_latency / best.mean_latency
    return gained < _COLLAPSED or (gained < 1 + rados.NOISE and slower > _LATENCY_TAKES_OFF)


# Neighbours as powers of two for clients and threads: more threads, fewer threads, the same number
# of operations in flight with half or twice the clients, more clients, fewer clients.
_NEIGHBOURS = ((0, 1), (0, -1), (-1, 1), (1, -1), (1, 0), (-1, 0))


def _next_neighbour(points: dict[SearchLoad, LoadPoint], most: SearchLoad) -> Optional[SearchLoad]:
    """The first neighbour of the best load without a run."""
    best, grid = rados.highest(points.values()).load, set(most.grid)
    for clients, threads in _NEIGHBOURS:
        load = SearchLoad(_shifted(best.clients, clients), _shifted(best.threads, threads))
        if load in grid and load not in points:
            return load
    return None


def _shifted(number: int, power: int) -> int:
    return number << power if power > 0 else number >> -power
