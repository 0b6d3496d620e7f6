"""A fingerprint by effects: what the daemons answer, before and after a scenario.

A setting that is put back in the configuration database is not put back for a daemon that is not
told. So each daemon is asked for what it goes by.

A fingerprint is plain data: section -> subject -> field -> value. ``difference`` is pure.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from cluster import asok
from cluster.connection import Connection
from cluster.errors import ClusterError
from cluster.spec import Spec
from perf_bench.model.osd import (
    BENCH_DURATION,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    MCLOCK_CAPACITY,
)
from perf_bench.model.rados import APPLICATION, POOL

# The options of OSDs that rounds may raise, and those that ``mclock propose --apply`` sets.
TOUCHED = (
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_DURATION,
    *MCLOCK_CAPACITY.values(),
)

Fields = Mapping[str, object]
Section = Mapping[str, Fields]
Fingerprint = Mapping[str, Section]

# After a failover the next mgr has to read its database before it can put anything back.
SETTLE_SECONDS = 300.0
KEYS = "mgr/perf_bench"
# What rounds write here is removed when it is done: the journal of what is changed, and what is
# left in pools. The journals of capacities and reliefs stay for as long as these are set.
JOURNAL = f"{KEYS}/held/round"
HELD = (JOURNAL, f"{KEYS}/traces")

# Which file the database is and how far its IDs are: it counts up with every round.
STORE = f"{KEYS}/store"

# Counts, times and epochs; what the monitors move step by step towards a target; how much a pool
# would gain if its reads were spread otherwise.
_MOVES_BY_ITSELF = {
    "create_time",
    "last_change",
    "last_force_op_resend",
    "last_force_op_resend_preluminous",
    "last_force_op_resend_prenautilus",
    "last_pg_merge_meta",
    "pg_num",
    "pg_num_pending",
    "pg_placement_num",
    "pool_id",
    "pool_name",
    "read_balance",
    "removed_snaps",
    "snap_epoch",
    "snap_seq",
}
# Where the autoscaler was on, these are its own.
_AUTOSCALED = {"pg_num_target", "pg_placement_num_target"}
# The balancer reads its option first of all when it wakes: on a busy machine after seconds.
_AWAKE_SECONDS, _AWAKE_AT_LAST = 0.2, 5.0
# Time zones differ by multiples of this.
_QUARTER_HOUR = 900
_OF_THE_MAP = (
    "full_ratio",
    "backfillfull_ratio",
    "nearfull_ratio",
    "require_min_compat_client",
    "require_osd_release",
)
_CAPACITIES = tuple(MCLOCK_CAPACITY.values())


class Daemons:
    """Those of one cluster, which are asked."""

    def __init__(self, spec: Spec, link: Connection) -> None:
        self._spec = spec
        self.mon = link.mon
        self.mgr = link.mgr

    def osd(self, osd: int, command: str, **arguments: Any) -> Any:
        """What an OSD answers on its admin socket: in 1 ms what ``ceph tell`` says in 400."""
        return asok.ask(self._spec, f"osd.{osd}", command, **arguments)


# --- what daemons answer ------------------------------------------------------------------------


def _balancer(daemons: Daemons) -> Section:
    """What it says after it has read its option again, which by itself it does once a minute.

    The mgr may have an option that is not set any more; until then the balancer says that it is
    active. To one that is active "on" says no more than that it shall look now.
    """
    found = daemons.mgr("balancer status")
    if found["active"]:
        asked = time.time()
        daemons.mgr("balancer on")
        time.sleep(_AWAKE_SECONDS)
        while not _has_woken(found := daemons.mgr("balancer status"), asked):
            time.sleep(_AWAKE_SECONDS)
    return {"balancer status": {field: found[field] for field in ("active", "mode")}}


def _has_woken(status: Mapping[str, Any], asked: float) -> bool:
    """Whether the balancer has read its option since then, or does not within seconds.

    One that is active says when it looked last, in whole seconds of its own time zone.
    """
    took = time.time() - asked
    if not status["active"] or took > _AWAKE_AT_LAST:
        return True
    try:
        looked = time.mktime(time.strptime(str(status.get("last_optimize_started", ""))))
    except ValueError:  # not yet
        return False
    return (looked - int(asked)) % _QUARTER_HOUR <= took + 1.0


def _osd_map(daemons: Daemons) -> Section:
    found = daemons.mon("osd dump")
    flags = {f"flag {flag}": "set" for flag in found["flags"].split(",") if flag}
    profiles = {f"profile {name}": words for name, words in found["erasure_code_profiles"].items()}
    return {"osd dump": {**flags, **profiles, **{name: found[name] for name in _OF_THE_MAP}}}


def _osds(daemons: Daemons) -> Section:
    """Each as the map has it and, while it is up, as it says itself.

    An OSD goes by the flags of the newest map that it has. Where nobody reads or writes, maps have
    been seen to take more than two minutes to some of them, so an OSD that is behind is told to get
    the newest one: it does so by itself with the next operation.
    """
    found = daemons.mon("osd dump")
    flags = {found["epoch"]: found["flags"]}
    return {
        f"osd.{osd['osd']}": {
            **{field: osd[field] for field in ("up", "in", "weight", "primary_affinity")},
            **(_from_osd(daemons, osd["osd"], found["epoch"], flags) if osd["up"] else {}),
        }
        for osd in found["osds"]
    }


def _from_osd(daemons: Daemons, osd: int, epoch: int, flags: dict[int, str]) -> Fields:
    """``epoch`` is the newest; ``flags`` by epoch, as far as maps were read already."""
    options = {name: daemons.osd(osd, "config get", var=name)[name] for name in TOUCHED}
    newest = int(daemons.osd(osd, "status")["newest_map"])
    if newest < epoch:
        daemons.osd(osd, "get_latest_osdmap")
        newest = int(daemons.osd(osd, "status")["newest_map"])
    if newest not in flags:
        flags[newest] = daemons.mon("osd dump", epoch=newest)["flags"]
    return {**options, "flags of its map": flags[newest]}


def _starts(daemons: Daemons) -> Section:
    """Since when each OSD is up, as an epoch: no difference, but it explains one."""
    found = daemons.mon("osd dump")["osds"]
    return {f"osd.{osd['osd']}": {"up_from": osd["up_from"]} for osd in found}


def _pools(daemons: Daemons) -> Section:
    modes = {
        pool["pool_name"]: pool["pg_autoscale_mode"]
        for pool in daemons.mgr("osd pool autoscale-status")
    }
    return {
        f"pool {pool['pool_name']}": {
            **_pool(pool),
            "autoscale-status": modes.get(pool["pool_name"]),
        }
        for pool in daemons.mon("osd pool ls", detail="detail")
    }


def _pool(pool: Mapping[str, Any]) -> dict[str, object]:
    passed_over = {*_MOVES_BY_ITSELF, "options", "application_metadata"}
    fields = {name: value for name, value in pool.items() if name not in passed_over}
    if "flags_names" in pool:
        # A new pool is being created for some seconds; flags are compared by their names.
        names = str(pool["flags_names"]).split(",")
        fields["flags_names"] = ",".join(name for name in names if name != "creating")
        fields.pop("flags", None)
    applications = ", ".join(sorted(pool["application_metadata"]))
    return {**fields, **pool["options"], "applications": applications}


def _config(daemons: Daemons) -> Section:
    rows = daemons.mon("config dump")
    names = [(f"{row['section']}/{row['mask']}".rstrip("/"), row["name"]) for row in rows]
    return {"config dump": {f"{who} {name}": row["value"] for (who, name), row in zip(names, rows)}}


def _keys(daemons: Daemons) -> Section:
    """Our keys without those of changes that are only watched, and the mark of the database."""
    found = daemons.mon("config-key dump", key=KEYS)
    keys = {key: value for key, value in found.items() if key != STORE}
    return {"config-key dump": without_watched(keys, _watched(daemons) if _journal(keys) else ())}


def _watched(daemons: Daemons) -> Collection[str]:
    """Settings that are only watched; where no module answers, none is."""
    try:
        status = daemons.mgr("perf-bench quiesce status")
    except ClusterError:
        return ()
    changed = {one["what"] for one in status["changed"]}
    return set(status.get("watched", ())) - changed


def without_watched(keys: Mapping[str, str], watched: Collection[str]) -> Mapping[str, str]:
    """Keys without those of the journal whose settings are all watched.

    A mgr that was killed may have ordered a change that was not carried out. The next one watches
    its setting for ten minutes and keeps it in the journal, although nothing is changed.
    """
    passed_over = {
        key
        for key, text in _journal(keys).items()
        if (names := _settings_in(text)) and names <= set(watched)
    }
    return {key: text for key, text in keys.items() if key not in passed_over}


def _journal(keys: Mapping[str, str]) -> Mapping[str, str]:
    return {key: text for key, text in keys.items() if _is_below(key, JOURNAL)}


def _is_below(key: str, prefix: str) -> bool:
    return key == prefix or key.startswith(f"{prefix}/")


def _settings_in(text: str) -> set[str]:
    """The settings that a key names; none if it cannot be read."""
    try:
        return {change["what"] for change in json.loads(text)["changes"]}
    except (ValueError, TypeError, LookupError):
        return set()


def _auth(daemons: Daemons) -> Section:
    return {
        "auth ls": {
            entry["entity"]: ", ".join(f"{who} '{what}'" for who, what in sorted(caps.items()))
            for entry in daemons.mon("auth ls")["auth_dump"]
            for caps in [entry["caps"]]
        }
    }


_READERS: Mapping[str, Callable[[Daemons], Section]] = {
    "balancer": _balancer,
    "map": _osd_map,
    "OSDs": _osds,
    "starts": _starts,
    "pools": _pools,
    "config": _config,
    "keys": _keys,
    "auth": _auth,
}


# --- what it says -------------------------------------------------------------------------------


def difference(before: Fingerprint, after: Fingerprint) -> list[str]:
    """A sentence for everything that is not as it was; what rounds are meant to leave is not told.

    That is the pool of our own, which the first round that needs it makes, and the capacity that
    an OSD finds when it starts for the first time: set by nobody before, on an OSD that was
    started in between.
    """
    return [
        f"{subject}: {said}"
        for name in sorted((before.keys() | after.keys()) - {"starts"})
        for subject, said in _differing(before.get(name, {}), after.get(name, {}))
        if not _is_an_osds_own(subject, said, before, after)
    ]


def held(found: Fingerprint) -> list[str]:
    """A sentence for everything that only a round that runs may hold, whatever was before."""
    keys = found.get("keys", {}).get("config-key dump", {})
    return [
        f"config-key dump: {key} is {value}"
        for key, value in sorted(keys.items())
        if any(_is_below(key, one) for one in HELD)
    ]


def unexpected(sentences: Collection[str], allowed: Collection[str]) -> list[str]:
    """Those that no pattern (``fnmatch``) allows."""
    return [said for said in sentences if not any(fnmatchcase(said, one) for one in allowed)]


def _differing(before: Section, after: Section) -> Iterator[tuple[str, str]]:
    for subject in sorted(before.keys() | after.keys()):
        if subject not in before:
            if not _is_our_pool(subject, after[subject]):
                yield subject, "it was not there"
        elif subject not in after:
            yield subject, "it is gone"
        else:
            was, now = before[subject], after[subject]
            scaled = was.get("pg_autoscale_mode") == "on"
            for field in sorted((was.keys() | now.keys()) - (_AUTOSCALED if scaled else set())):
                if was.get(field, _ABSENT) != now.get(field, _ABSENT):
                    yield subject, f"{field} {_was(was, field)}, {_is(now, field)}"


_ABSENT = object()


def _was(fields: Fields, field: str) -> str:
    return f"was {fields[field]}" if field in fields else "was not there"


def _is(fields: Fields, field: str) -> str:
    return f"is {fields[field]}" if field in fields else "is gone"


def _is_our_pool(subject: str, fields: Fields) -> bool:
    return subject == f"pool {POOL}" and fields.get("applications") == APPLICATION


def _is_an_osds_own(subject: str, said: str, before: Fingerprint, after: Fingerprint) -> bool:
    """Whether it tells of the capacity that an OSD found when it started."""
    place, _, rest = said.partition(" ") if subject == "config dump" else (subject, "", said)
    option = rest.partition(" ")[0]
    if option not in _CAPACITIES or not place.startswith("osd."):
        return False
    started = [fp.get("starts", {}).get(place) for fp in (before, after)]
    own = f"{place} {option}"
    had, has = (fp.get("config", {}).get("config dump", {}) for fp in (before, after))
    return started[0] != started[1] and own not in had and own in has


# --- of one cluster -----------------------------------------------------------------------------


class Fingerprints:
    """Takes fingerprints of one cluster."""

    def __init__(self, daemons: Daemons) -> None:
        self.daemons = daemons

    def take(self) -> Fingerprint:
        """What all daemons answer now. Raises ClusterError."""
        return self._read(_READERS)

    def at_rest(self, seconds: float = SETTLE_SECONDS) -> Fingerprint:
        """The same as soon as nothing is held. Raises ClusterError after so many seconds."""
        found, left = self._wait(held, (), seconds)
        if left:
            raise ClusterError(f"not at rest after {seconds:g} s: {'; '.join(left)}")
        return found

    def changed(
        self,
        before: Fingerprint,
        allowed: Collection[str] = (),
        seconds: float = SETTLE_SECONDS,
    ) -> list[str]:
        """What is not as it was, also after so many seconds; empty as soon as all is."""
        return self._wait(lambda now: difference(before, now) + held(now), allowed, seconds)[1]

    def _wait(
        self,
        look: Callable[[Fingerprint], list[str]],
        allowed: Collection[str],
        seconds: float,
    ) -> tuple[Fingerprint, list[str]]:
        """Only what differs is read again; at the end, once more, all of it."""
        deadline = time.monotonic() + seconds
        found: dict[str, Section] = {}
        wanted: Collection[str] = _READERS
        while True:
            try:
                found.update(self._read(wanted))
                left = unexpected(look(found), allowed)
            except ClusterError as error:  # a mgr may be about to take over
                left = [f"it cannot be told: {error}"]
            if not left and len(wanted) == len(_READERS):
                return found, []
            if time.monotonic() >= deadline:
                return found, left
            wanted = _sections_of(left, found) if left else _READERS
            if left:
                time.sleep(0.5)

    def _read(self, sections: Collection[str]) -> dict[str, Section]:
        return {name: _READERS[name](self.daemons) for name in sections}


def _sections_of(sentences: Collection[str], found: Fingerprint) -> Collection[str]:
    """Where the subjects of sentences come from, and what explains them; all where one is gone."""
    subjects = {said.partition(":")[0] for said in sentences}
    home = {subject: name for name, section in found.items() for subject in section}
    if subjects - home.keys():
        return _READERS
    return {home[subject] for subject in subjects} | {"starts"}
