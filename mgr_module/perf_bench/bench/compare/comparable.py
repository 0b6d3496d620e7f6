"""Decide whether two rounds are comparable, with notes.

| not comparable | because |
| --- | --- |
| the same round twice, a round that has not ended | there is nothing to compare |
| any verdict but valid or noisy | its figures are not reliable |
| another kind, profile, phase, block size, prefill | it measures something else |
| over twice the bytes a sample | one may fit into a cache and the other not |
| a sandwich of other OSDs together | their figures are what the OSDs leave one another |
| another cluster | osd.3 there is not osd.3 here |
| no OSD that both measured, on the same device | nothing has a counterpart |
| for clients another pool, size, load, copies, EC, compression | it measures something else |
| results of other tools | a single run has no variation |

Only noted: a noisy round (its noise is in the interval, and a change must be twice its CV), OSDs
that only one of them measured or that were replaced between them (they are left out: another model,
or an OSD that was made after one of them), and differences in the environment: comparing before and
after an upgrade or a change of options is a main use.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional

from ...model.phrases import osd_names, plural
from ...model.plan import PROFILES, TOOLS, Layout, Step
from ...model.rados import LoadPlan, SearchLoad
from ...model.round import (
    Difference,
    MeasuredRound,
    OsdResult,
    Round,
    RoundLine,
    Verdict,
)

_COMPARED = (Verdict.VALID, Verdict.NOISY)
MOST_BYTES_RATIO = 2.0
# The least share of common OSDs that run together in two sandwiches: what one OSD leaves another
# differs by a tenth then at most.
LEAST_TOGETHER = 0.9


def obstacles(a: Round, b: Round) -> tuple[str, ...]:
    """Why these rounds are not comparable, as sentences; empty if they are."""
    if a.id == b.id:
        return (f"both are round {a.id}",)
    worthless = tuple(_worthless(a)) + tuple(_worthless(b))
    return (*worthless, *other_work(a, b))


def _worthless(round_: Round) -> Iterator[str]:
    if not round_.state.ended:
        yield (f"round {round_.id} is still {round_.state.value}")
    elif round_.verdict not in _COMPARED:
        verdict = round_.verdict.value if round_.verdict else round_.state.value
        yield _round_is(round_, verdict)


def _round_is(round_: Round, verdict: str) -> str:
    if not round_.reasons:
        return f"round {round_.id} is {verdict}"
    return f"round {round_.id} is {verdict}: {round_.reasons[0]}"


def other_work(a: Round, b: Round) -> Iterator[str]:
    """The differences in what two rounds did that make them incomparable."""
    if a.kind != b.kind:
        yield f"round {a.id} is of kind {a.kind}, round {b.id} of kind {b.kind}"
    elif a.kind in TOOLS:
        yield f"rounds of kind {a.kind} have no repeats, so their variation is not known"
    if a.profile != b.profile:
        yield f"round {a.id} ran {a.profile}, round {b.id} {b.profile}"
    elif a.plan.load is None or b.plan.load is None:
        yield from other_step(a.plan.step, b.plan.step)
        yield from _other_company(a, b)
    else:
        yield from other_load(a.plan.load, b.plan.load)
        yield from other_pool(a.environment, b.environment)
    clusters = a.environment.get("fsid"), b.environment.get("fsid")
    if None not in clusters and clusters[0] != clusters[1]:
        yield "they were measured on different clusters"


def _other_company(a: Round, b: Round) -> Iterator[str]:
    """Whether OSDs that are measured together ran beside others."""
    if PROFILES[a.profile].layout is not Layout.SANDWICH:
        return
    ours, theirs = set(a.plan.leading.osds), set(b.plan.leading.osds)
    both = len(ours & theirs)
    if both < LEAST_TOGETHER * len(ours | theirs):
        yield f"{len(ours)} and {len(theirs)} OSDs ran together, {both} of them in both"


def other_step(a: Step, b: Step) -> Iterator[str]:
    """The differences of two steps that make them incomparable."""
    if a.operation != b.operation:
        yield f"the one measured {a.operation}, the other {b.operation}"
    if a.block_size != b.block_size:
        yield f"block sizes differ: {a.block_size} and {b.block_size} bytes"
    elif (a.object_size, a.object_count) != (b.object_size, b.object_count):
        yield f"objects differ: {_objects(a)} and {_objects(b)}"
    elif max(a.total_bytes, b.total_bytes) > MOST_BYTES_RATIO * min(a.total_bytes, b.total_bytes):
        yield f"samples differ: {a.total_bytes} and {b.total_bytes} bytes"


def _objects(step: Step) -> str:
    if not step.prefilled:
        return "fresh ones"
    return f"{step.object_count} prefilled ones of {step.object_size} bytes"


def pairs(
    a: MeasuredRound, b: MeasuredRound, created_at: Mapping[int, Optional[float]]
) -> tuple[list[tuple[OsdResult, OsdResult]], list[str]]:
    """The OSDs that both rounds measured on the same device, by ID, and notes on the others.

    ``created_at`` has when the OSDs of now were made.
    """
    before = {row.osd: row for row in a.results if row.median_bytes_per_second}
    after = {row.osd: row for row in b.results if row.median_bytes_per_second}
    shared = sorted(before.keys() & after.keys())
    lines = a.round.line, b.round.line
    replaced = [
        osd
        for osd in shared
        if _other_device(before[osd], after[osd])
        or len({_measured(line, created_at.get(osd)) for line in lines}) > 1
    ]
    kept = [(before[osd], after[osd]) for osd in shared if osd not in set(replaced)]
    notes = [
        f"measured in round {round_} only: {osd_names(sorted(osds))}"
        for round_, osds in (
            (a.round.id, before.keys() - after.keys()),
            (b.round.id, after.keys() - before.keys()),
        )
        if osds
    ]
    if replaced:
        notes.append(f"left out because the device or the OSD was replaced: {osd_names(replaced)}")
    return kept, notes


def _measured(line: RoundLine, created_at: Optional[float]) -> tuple[bool, bool]:
    """Whether the round began, and whether it ended, before the OSD was made."""
    if created_at is None or line.ended_at is None:
        return False, False
    return line.is_before(created_at), line.ended_at < created_at


def _other_device(a: OsdResult, b: OsdResult) -> bool:
    """Whether the device differs: by model, or if unknown by device class."""
    if a.model and b.model:
        return a.model != b.model
    return bool(a.device_class and b.device_class) and a.device_class != b.device_class


def noisy_notes(rounds: Sequence[Round]) -> Iterator[str]:
    """A note for each noisy round."""
    for round_ in rounds:
        if round_.verdict == Verdict.NOISY:
            yield _round_is(round_, Verdict.NOISY.value)


# The properties of a pool that must be equal, and their names in sentences.
_POOL = {
    "kind": "kinds of pool",
    "copies": "copies",
    "compression": "compression modes",
}


def other_load(a: LoadPlan, b: LoadPlan) -> Iterator[str]:
    """The differences of two loads that make them incomparable."""
    if a.pool != b.pool:
        yield f"pools differ: {a.pool} and {b.pool}"
    if a.size != b.size:
        yield f"sizes differ: {a.size} and {b.size} bytes"
    if a.most != b.most:
        most = "at most " if a.saturates else ""
        yield f"loads differ: {most}{load_text(a.most)} and {most}{load_text(b.most)}"
    if set(a.workers) != set(b.workers):
        yield f"clients ran {_where(a)} and {_where(b)}"


def load_text(load: SearchLoad) -> str:
    """A load as text, as "4 clients x 16 threads"."""
    return f"{plural(load.clients, 'client')} x {plural(load.threads, 'thread')}"


def _where(load: LoadPlan) -> str:
    """The hosts of the clients, which differ in network and processors."""
    return f"on {', '.join(sorted(load.workers))}" if load.workers else "beside the mgr"


def other_pool(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """The differences of two rounds' pools; properties that one round lacks are skipped."""
    before, after = a.get("pool", {}), b.get("pool", {})
    for key, name in _POOL.items():
        if key in before and key in after and before[key] != after[key]:
            was, is_ = (
                one if isinstance(one, str) else f"{one:g}" for one in (before[key], after[key])
            )
            yield f"{name} differ: {was} and {is_}"
    # Erasure codes of the same overhead, as 2+1 and 4+2, differ by their number of chunks.
    sizes = before.get("size"), after.get("size")
    same = before.get("copies") == after.get("copies")
    if before.get("kind") == "erasure" and same and None not in sizes and sizes[0] != sizes[1]:
        yield f"{_POOL['copies']} differ: {_chunks(before)} and {_chunks(after)}"


def _chunks(pool: Mapping[str, Any]) -> str:
    """The chunks of an erasure code as "4+2"."""
    data = round(pool["size"] / pool["copies"])
    return f"{data}+{pool['size'] - data}"


# --- the environments of two rounds ---------------------------------------------------------------
#
# *Setup* lasts until somebody changes it: Ceph's release on the OSDs, the measured devices, the
# recorded options, flags that stop background work, the number of OSDs at the same time. It is in
# the hash, and a difference may explain a lasting change. *Conditions* pass: fill, client load,
# scrubs, recovery, OSDs that are down. They always differ a little, so they are reported only
# beyond a tolerance, and are not in the hash. Other recorded values (mgr, health, number of pools)
# are in neither. A value that one of the two rounds did not record is unknown, and no difference.

Environment = Mapping[str, Any]

# Flags that reduce the OSDs' background work; others (noout, …) do not affect a bench.
QUIET_FLAGS = frozenset(
    ("nobackfill", "nodeep-scrub", "norebalance", "norecover", "noscrub", "nosnaptrim", "pause")
)
# A change of a smaller share of the OSDs cannot change the median much.
MIX_SHARE = 0.05
FILL_POINTS = 10.0
PGS_SHARE = 0.1
# Per OSD: 1 % of a spinning disk's bandwidth, and less of any other's.
CLIENT_BYTES_PER_OSD = 1 << 20
_BUSY = ("scrubbing", "recovering", "backfilling")
_UNKNOWN = "unknown"
_NONE = "none"


def environment_hash(environment: Environment) -> str:
    """Twelve digits that are equal for equal setups, whatever the conditions."""
    canonical = json.dumps(_setup(environment), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def differences(was: Environment, now: Environment) -> tuple[Difference, ...]:
    """The differences, setup first; empty if there are none beyond the tolerances."""
    return (*_setup_differences(was, now), *_condition_differences(was, now))


def _devices(environment: Environment) -> Optional[dict[str, int]]:
    """The number of measured OSDs by class and model."""
    return {
        " ".join(part for part in (group["class"], group["model"]) if part) or _UNKNOWN: int(
            group["osds"]
        )
        for group in environment.get("peer_groups", ())
    } or None


def _flags(environment: Environment) -> Optional[list[str]]:
    flags = environment.get("flags")
    return None if flags is None else sorted(QUIET_FLAGS & set(flags))


def _mix(devices: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(devices.items()))


def _modes(messenger: Mapping[str, str]) -> str:
    return ", ".join(sorted(map("=".join, messenger.items()))) or _NONE


# By key of the setup the name of a difference, the value (None if it was not recorded), and how it
# is told. Releases are the versions of the OSDs, without counts.
_SETUP: Mapping[str, tuple[str, Callable[[Environment], Any], Callable[[Any], str]]] = {
    "releases": ("OSD release", lambda of: sorted(of.get("osd_releases") or ()) or None, ", ".join),
    "devices": ("OSDs measured", _devices, _mix),
    "flags": ("flags", _flags, lambda flags: ", ".join(flags) or _NONE),
    "max_parallel": ("OSDs at once", lambda of: of.get("max_parallel"), str),
    "messenger": ("messenger", lambda of: of.get("messenger"), _modes),
    "pool_pgs": ("PGs of the pool", lambda of: of.get("pool", {}).get("pg_num"), str),
}


def _setup(environment: Environment) -> dict[str, Any]:
    """The setup, which is in the hash, without values that were not recorded."""
    setup = {key: value(environment) for key, (_, value, _) in _SETUP.items()}
    setup["options"] = environment.get("options")
    return {key: value for key, value in setup.items() if value is not None}


def _setup_differences(was: Environment, now: Environment) -> Iterator[Difference]:
    before, after = _setup(was), _setup(now)
    for key, (name, _, told) in _SETUP.items():
        if key not in before or key not in after or before[key] == after[key]:
            continue
        if key == "devices" and _moved(before[key], after[key]) < MIX_SHARE:
            continue
        yield Difference(name, told(before[key]), told(after[key]), setup=True)
    options = before.get("options") or {}, after.get("options") or {}
    for name in sorted(options[0].keys() & options[1].keys()):
        if options[0][name] != options[1][name]:
            yield Difference(name, str(options[0][name]), str(options[1][name]), setup=True)


def _moved(was: Mapping[str, int], now: Mapping[str, int]) -> float:
    """The share of OSDs that came, went or became another device."""
    kinds = was.keys() | now.keys()
    gone = sum(max(0, was.get(kind, 0) - now.get(kind, 0)) for kind in kinds)
    come = sum(max(0, now.get(kind, 0) - was.get(kind, 0)) for kind in kinds)
    return max(gone, come) / max(1, sum(was.values()), sum(now.values()))


def _condition_differences(was: Environment, now: Environment) -> Iterator[Difference]:
    fill = was.get("fill_percent"), now.get("fill_percent")
    if fill[0] is not None and fill[1] is not None and abs(fill[1] - fill[0]) >= FILL_POINTS:
        yield _passing("fill", *(f"{one:.0f} %" for one in fill))
    up = was.get("osds_up"), now.get("osds_up")
    if None not in up and up[0] != up[1]:
        yield _passing("OSDs up", *up)
    pgs = was.get("pgs") or 0, now.get("pgs") or 0
    if min(pgs) and max(pgs) - min(pgs) > PGS_SHARE * max(pgs):
        yield _passing("PGs", *pgs)
    load = _traffic(was), _traffic(now)
    osds = max(1, up[0] or 1, up[1] or 1)
    if None not in load and abs(load[1] - load[0]) >= CLIENT_BYTES_PER_OSD * osds:
        yield _passing("client load", *(f"{rate / (1 << 20):.0f} MiB/s" for rate in load))
    yield from _busy(was, now)


def _passing(name: str, was: object, now: object) -> Difference:
    return Difference(name, str(was), str(now), setup=False)


def _traffic(environment: Environment) -> Any:
    """Bytes per second of clients; None if they were not recorded."""
    keys = ("client_read_bytes_per_second", "client_write_bytes_per_second")
    rates = [environment.get(key) for key in keys]
    return sum(rate for rate in rates if rate) if None not in rates else None


def _busy(was: Environment, now: Environment) -> Iterator[Difference]:
    """Background work that one of the two had and the other had not."""
    states = was.get("pgs_by_state"), now.get("pgs_by_state")
    if None in states:
        return
    for work in _BUSY:
        counts = [sum(side[name] for name in side if work in name) for side in states if side]
        if len(set(map(bool, counts))) > 1:
            yield _passing(f"PGs {work}", *counts)
