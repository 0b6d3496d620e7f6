"""Compare the environments of two rounds.

**Setup** lasts until somebody changes it: Ceph's release on the OSDs, the measured devices, the
recorded options, flags that stop background work, the number of OSDs at the same time. It is in the
hash, and a difference may explain a lasting change. **Conditions** pass: fill, client load, scrubs,
recovery, OSDs that are down. They always differ a little, so they are reported only beyond a
tolerance, and are not in the hash. Other recorded values (mgr, health, number of pools) are in
neither.

A value that one of the two rounds did not record is unknown, and no difference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

from ...model.comparison import Difference

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
# The names that differences have besides those of options and "PGs" with a state; the tab has them
# in its language.
NAMES = (
    "OSD release", "OSDs measured", "flags", "OSDs at once", "messenger", "PGs of the pool",
    "fill", "OSDs up", "PGs", "client load", _NONE,
)  # fmt: skip


def environment_hash(environment: Environment) -> str:
    """Twelve digits that are equal for equal setups, whatever the conditions."""
    canonical = json.dumps(_setup(environment), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def differences(was: Environment, now: Environment) -> tuple[Difference, ...]:
    """The differences, setup first; empty if there are none beyond the tolerances."""
    return (*_setup_differences(was, now), *_condition_differences(was, now))


def _setup(environment: Environment) -> dict[str, Any]:
    """The setup, which is in the hash, without values that were not recorded."""
    setup = {
        "releases": _releases(environment),
        "devices": _devices(environment) or None,
        "options": environment.get("options"),
        "flags": _flags(environment),
        "max_parallel": environment.get("max_parallel"),
        "messenger": environment.get("messenger"),
        "pool_pgs": environment.get("pool", {}).get("pg_num"),
    }
    return {name: value for name, value in setup.items() if value is not None}


def _releases(environment: Environment) -> Optional[list[str]]:
    """The versions of the OSDs, without counts; None if not recorded."""
    releases = environment.get("osd_releases")
    return sorted(releases) if releases else None


def _devices(environment: Environment) -> dict[str, int]:
    """The number of measured OSDs by class and model."""
    return {
        " ".join(part for part in (group["class"], group["model"]) if part) or _UNKNOWN: int(
            group["osds"]
        )
        for group in environment.get("peer_groups", ())
    }


def _flags(environment: Environment) -> Optional[list[str]]:
    flags = environment.get("flags")
    return None if flags is None else sorted(QUIET_FLAGS & set(flags))


def _mix(devices: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(devices.items()))


def _modes(messenger: Mapping[str, str]) -> str:
    return ", ".join(sorted(map("=".join, messenger.items()))) or _NONE


# By key of the setup the name of a difference, and how a value is told.
_TOLD: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "releases": ("OSD release", ", ".join),
    "devices": ("OSDs measured", _mix),
    "flags": ("flags", lambda flags: ", ".join(flags) or _NONE),
    "max_parallel": ("OSDs at once", str),
    "messenger": ("messenger", _modes),
    "pool_pgs": ("PGs of the pool", str),
}


def _setup_differences(was: Environment, now: Environment) -> Iterator[Difference]:
    before, after = _setup(was), _setup(now)
    for key, (name, told) in _TOLD.items():
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
