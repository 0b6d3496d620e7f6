"""From what a user typed to the plan of a round of clients: check everything, change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue, NotFound, NotNow
from ...model.admission import Ask, Rules
from ...model.bench import MIB, Step
from ...model.phrases import plural
from ...model.plan import Phase, Plan
from ...model.pool import APPLICATION, COPIES_OF_A_NEW_POOL, POOL, Pool
from ...model.profile import (
    LOAD_BYTES_PER_OSD,
    LOAD_SECONDS,
    SEARCH_SECONDS,
    Layout,
    Profile,
    profile_named,
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
from ...model.saturation import Bounds
from ...ports import Cluster, Pools
from ..admission.decide import decide
from .osd_round import Look, Prepared, checked_label, checked_repeats, existing
from .saturation_search import most_runs
from .sizing import checked_multiple, parse_size
from .workers import There, WorkerTeam, team_of

# What one run may take of what the pool still has.
_SHARE_OF_ROOM = 5
_DEFAULTS = {"clients": 4, "threads": 16, "seconds": LOAD_SECONDS}
_SEARCHED = {
    "clients": Bounds().clients,
    "threads": Bounds().threads,
    "seconds": SEARCH_SECONDS,
}
# Starting, ending and cleaning up, for each run.
_AROUND_SECONDS = 5.0


def prepare_load(
    request: Request, cluster: Cluster, pools: Pools, look: Look, rules: Rules, there: There
) -> Prepared:
    """Check a request of kind rados and plan it. Raises NotFound, InvalidValue or NotNow.

    ``there`` tells which workers there are; it takes a second.
    """
    profile = profile_named(request.profile)
    _check_search(request, profile)
    repeats, _ = checked_repeats(request, profile)
    checked_label(request.label)
    found = existing(cluster.osds())
    up = [osd.id for osd in found if osd.up and osd.in_cluster]
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
        notes=(*_notes(pools.look(load.pool), load), *team.notes),
        load=load,
    )
    ask = Ask(
        osds=plan.osds,
        bytes_per_osd=plan.most_bytes_per_osd,
        # A repeat of a write is removed before the next.
        peak_bytes_per_osd=step.total_bytes,
        seconds=plan.most_seconds,
    )
    chosen = tuple(osd for osd in found if osd.id in set(targets))
    return Prepared(profile, plan, chosen, decide(ask, look(targets), rules))


def _load(
    request: Request, profile: Profile, pools: Pools, osds: Sequence[int], team: WorkerTeam
) -> tuple[LoadPlan, Step, tuple[int, ...]]:
    """What clients do, what a filling writes to each OSD at most, and which OSDs; raises those."""
    (step,) = profile.steps
    saturates = profile.layout is Layout.SEARCH
    defaults = _SEARCHED if saturates else _defaults(team)
    clients, threads, seconds, size = _checked_words(request, step, pools, defaults, team)
    pool = _checked_pool(request, pools)
    targets = tuple(pool.osds if pool else osds)
    if not targets:
        raise NotNow("no OSD holds that pool now: see 'ceph osd tree'")
    copies = pool.copies if pool else COPIES_OF_A_NEW_POOL
    wanted = int(LOAD_BYTES_PER_OSD * len(targets) * seconds / copies)
    most = _most_bytes(pool, size * clients, pools)
    kept = min(wanted, most)
    load = LoadPlan(
        pool=request.pool or POOL,
        operation=step.operation,
        seconds=seconds,
        clients=clients,
        threads=threads,
        size=size,
        max_objects=most // (size * clients),
        bytes_per_repeat=most,
        saturates=saturates,
        workers=team.names,
    )
    return load, Step(step.operation, size, int(kept * copies / len(targets))), targets


def _defaults(team: WorkerTeam) -> Mapping[str, int]:
    """As many clients for each worker as there are beside a mgr."""
    clients = _DEFAULTS["clients"] * max(1, len(team.names))
    return {**_DEFAULTS, "clients": min(MAX_CLIENTS, clients)}


def _check_search(request: Request, profile: Profile) -> None:
    """What a search decides itself is refused, and so are bounds that its loads never reach."""
    if profile.layout is not Layout.SEARCH:
        return
    for name in ("repeats", "max_repeats"):
        if getattr(request, name) is not None:
            raise InvalidValue(
                f"--{name.replace('_', '-')} means nothing to rounds of {profile.name}: which load "
                "is run again follows from the runs before",
                field=name,
            )
    for name, most in (("clients", MAX_CLIENTS), ("threads", MAX_THREADS)):
        value = getattr(request, name)
        if value is not None and 0 < value <= most and value & (value - 1):
            below = 1 << (value.bit_length() - 1)
            raise InvalidValue(
                f"--{name} {value} is no power of two, and the loads that are searched are: "
                f"{below} or {2 * below}",
                field=name,
            )


def _checked_words(
    request: Request, step: Step, pools: Pools, defaults: Mapping[str, int], team: WorkerTeam
) -> tuple[int, int, int, int]:
    """Clients, threads, seconds and size."""
    if request.osds is not None:
        raise InvalidValue(
            f"--osds belongs to rounds of kind osd; {request.profile} is of kind rados, whose "
            "--pool says which OSDs are loaded",
            field="osds",
        )
    size = step.block_size if request.size is None else checked_multiple(parse_size(request.size))
    largest = pools.largest_object()
    if size > largest:
        raise InvalidValue(
            f"objects of {size} bytes are over the {largest} bytes that osd_max_write_size and "
            "osd_max_object_size of this cluster allow",
            field="size",
        )
    given = {name: getattr(request, name) for name in defaults}
    words = {
        name: value if given[name] is None else given[name] for name, value in defaults.items()
    }
    # A search begins with one client; else every worker has one at least.
    least = 1 if defaults is _SEARCHED else max(1, len(team.names))
    clients = _within("clients", words, least, MAX_CLIENTS)
    threads = _within("threads", words, 1, MAX_THREADS)
    seconds = _within("seconds", words, MIN_SECONDS, MAX_SECONDS)
    here = team.share(clients)
    if here * threads * size > MAX_IN_FLIGHT:
        raise InvalidValue(
            f"{plural(here, 'client')} x {plural(threads, 'thread')} x {size} bytes would hold "
            f"{here * threads * size // MIB} MiB in memory, at most {MAX_IN_FLIGHT // MIB} are "
            "allowed: fewer --clients or --threads, or a smaller --size",
            field="threads",
        )
    return clients, threads, seconds, size


def _within(name: str, words: Mapping[str, int], least: int, most: int) -> int:
    found = words[name]
    if not least <= found <= most:
        raise InvalidValue(f"--{name} {found} is not within {least} to {most}", field=name)
    return found


def _checked_pool(request: Request, pools: Pools) -> Optional[Pool]:
    """The pool to load, None where the bench's own is still to be made."""
    if request.pool == "":  # a script's variable that is empty, say
        raise InvalidValue("--pool '' names no pool: without it the bench's own is loaded", "pool")
    name = request.pool or POOL
    pool = pools.look(name)
    if pool is None:
        if name == POOL:
            return None
        raise NotFound(f"there is no pool {name}: see 'ceph osd pool ls'")
    if pool.full:
        raise NotNow(f"the pool {name} is full or at its quota: see 'ceph df'")
    if request.foreign_pool:
        return pool
    others = [app for app in pool.applications if app != APPLICATION]
    if others:
        raise InvalidValue(
            f"the pool {name} belongs to {', '.join(others)}: --foreign-pool loads it all the same",
            field="pool",
        )
    if APPLICATION not in pool.applications and pool.objects:
        raise InvalidValue(
            f"the pool {name} holds {pool.objects} objects that are not the bench's: "
            "--foreign-pool loads it all the same",
            field="pool",
        )
    return pool


def _most_bytes(pool: Optional[Pool], one_each: int, pools: Pools) -> int:
    """What one run may leave in the pool; ``one_each`` is an object of each client."""
    free = int(pools.free_bytes() / (pool.copies if pool else COPIES_OF_A_NEW_POOL))
    room = pool.room_bytes if pool else None
    bound = (free if room is None else room) // _SHARE_OF_ROOM
    objects = pool.room_objects if pool else None
    if objects is not None:
        bound = min(bound, objects // _SHARE_OF_ROOM * one_each)
    if bound < one_each:
        raise NotNow(
            f"there is too little room: a run may take a fifth of it, which is {bound} bytes, less "
            "than an object of each client: see 'ceph df'"
        )
    return bound


def _notes(pool: Optional[Pool], load: LoadPlan) -> list[str]:
    notes = []
    if load.saturates:
        notes.append(f"at most {load.bounds.runs_text(most_runs(load.bounds))}")
    if pool is None:
        notes.append(f"the pool {load.pool} is made first")
    elif pool.compression not in ("none", "as the OSDs are set"):
        notes.append(f"the pool {pool.name} compresses what is written ({pool.compression})")
    if load.reads:
        notes.append(f"each client writes for {load.seconds} s first what it reads then")
    return notes
