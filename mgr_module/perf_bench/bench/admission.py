"""Decide from a snapshot whether a round may start now; lists all reasons, not only the first.

With the operator's rules, the load that the cluster can take by the last rounds, and the wear
budget: the bytes that rounds may write to each OSD's device in a day. Pure but for two counters.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Callable, NamedTuple, Optional, Union

from ..errors import InvalidValue, NotNow
from ..model.admission import (
    DAY,
    Admission,
    Ask,
    ClassWear,
    HealthCheck,
    Load,
    NewMaps,
    RoundWear,
    Rules,
    Situation,
    Space,
    Unknown,
    WearLedger,
)
from ..model.admission import AdmissionRefusal as Refusal
from ..model.osd import Osd
from ..model.phrases import gib, osd_names, plural, span
from ..model.plan import MIB
from ..model.round import OsdResult
from .times import coming, local, parse_window, zone

# What a check says of a situation; nothing where all is well.
Answers = Iterator[Union[Refusal, Unknown]]

# Changes that are flapping: down for the third time, because two restarts may be on purpose. Ceph
# itself ends an OSD that was marked down five times in that time (`osd_max_markdown_count`).
_FLAPPING = 5


def check_running(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """A running round, because two rounds would disturb each other.

    Until the database has been read none can start, so this is no unknown.
    """
    if now.running is None:
        yield Refusal("running", "it is not known yet whether a round is running", forceable=False)
    elif now.running:
        yield Refusal(
            "round-running", f"round {', '.join(map(str, now.running))} is running", forceable=False
        )


def check_down(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """OSDs that are down but in: data lacks a copy or is about to be moved."""
    if now.down_in is None:
        yield Unknown("down", "it is not known which OSDs are down", essential=True)
    elif now.down_in:
        yield Refusal("osd-down", f"{_osds_are(now.down_in)} down and still in")


def _osds_are(osds: Collection[int]) -> str:
    return f"{osd_names(osds)} {'is' if len(osds) == 1 else 'are'}"


def check_changes(_ask: Ask, now: Situation, rules: Rules) -> Answers:
    """OSDs that keep going up and down. A single restart shows in the PGs' states."""
    if now.changes is None:
        yield Unknown(
            "changes",
            f"it is not known whether OSDs went up or down in the last {span(rules.flap_seconds)}",
        )
        return
    flapping = {osd for osd, count in now.changes.items() if count >= _FLAPPING}
    if flapping:
        yield Refusal(
            "osd-flapping",
            f"{osd_names(flapping)} went up or down up to {max(now.changes.values())} "
            f"times in the last {span(rules.flap_seconds)}",
        )


def check_upgrade(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """An upgrade, which restarts daemons, and mixes releases that are not comparable."""
    if now.releases is not None and len(now.releases) > 1:
        mix = [
            f"{plural(count, 'OSD')} on {release}"
            for release, count in sorted(now.releases.items())
        ]
        yield Refusal("upgrade", f"an upgrade is under way: {', '.join(mix)}")
    elif now.upgrading:
        yield Refusal("upgrade", "an upgrade is under way, according to the orchestrator")
    elif now.releases is None and now.upgrading is None:
        yield Unknown("upgrade", "it is not known whether an upgrade is under way")


def check_slow_ops(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """Operations that wait for longer than ``osd_op_complaint_time`` (30 s)."""
    if now.slow_ops is None:
        yield Unknown("slow-ops", "it is not known whether OSDs have slow operations")
        return
    slow = {osd: count for osd, count in now.slow_ops.items() if count > 0}
    if slow:
        yield Refusal(
            "slow-ops",
            f"{plural(sum(slow.values()), 'slow operation')} on {osd_names(slow)}",
        )


# What is wrong with PGs that have one of these words in their state; a PG may count for several.
_TROUBLES: tuple[tuple[str, str, str], ...] = (
    ("pg-peering", "peering peered activating", "peering: clients wait for them"),
    (
        "pg-recovery",
        "recovering recovery_wait recovery_toofull recovery_unfound forced_recovery",
        "in recovery, which shares the devices with a bench",
    ),
    (
        "pg-backfill",
        "backfilling backfill_wait backfill_toofull backfill_unfound forced_backfill",
        "in backfill, which shares the devices with a bench",
    ),
    (
        "pg-degraded",
        "degraded undersized stale down incomplete inconsistent",
        "without all good copies",
    ),
    ("pg-laggy", "laggy wait", "laggy: OSDs answer too late already"),
)
# A PG without any of these is not active, nor about to become so.
_ACTIVE_SOON = frozenset(("active", "peering", "peered", "activating"))


def check_pgs(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """PGs that are not healthy: the round would harm them, and they would affect its results."""
    if now.pgs is None:
        yield Unknown("pgs", "the states of the PGs are not known yet", essential=True)
        return
    words = {frozenset(state.split("+")): count for state, count in now.pgs.items() if count}
    inactive = sum(count for state, count in words.items() if not state & _ACTIVE_SOON)
    if inactive:
        yield Refusal("pg-inactive", f"{_pgs_are(inactive)} not active: clients wait for them")
    for code, trouble, what in _TROUBLES:
        wrong = frozenset(trouble.split())
        count = sum(count for state, count in words.items() if state & wrong)
        if count:
            yield Refusal(code, f"{_pgs_are(count)} {what}")


def _pgs_are(count: int) -> str:
    return plural(count, "PG is", "PGs are")


# Checks that another field of the situation covers; they count only if that is None.
_SAID_BY = {
    "OSD_DOWN": "down_in",
    "OSD_NEARFULL": "fullness",
    "OSD_BACKFILLFULL": "fullness",
    "OSD_FULL": "fullness",
    "OSDMAP_FLAGS": "flags",
    "OSD_UPGRADE_FINISHED": "releases",
    "PG_AVAILABILITY": "pgs",
    "PG_DEGRADED": "pgs",
    "PG_BACKFILL_FULL": "pgs",
    "PG_RECOVERY_FULL": "pgs",
    "SLOW_OPS": "slow_ops",
}
# Errors about keys, not daemons. A cluster that becomes 19.2.6 or 20.2.4 has them for each key
# of the older type.
_HARMLESS_ERRORS = "AUTH_INSECURE_*"
# Flags that show maintenance, or that prevent what a round needs.
_IN_THE_WAY = (
    *("full", "nearfull", "noin", "noout", "noup", "nodown", "pause", "pauserd", "pausewr"),
    *("nobackfill", "norebalance", "norecover"),
)


def check_health(_ask: Ask, now: Situation, rules: Rules) -> Answers:
    """Every health check that is neither tolerated nor muted."""
    if now.checks is None:
        yield Unknown("health", "the cluster's health is not known yet", essential=True)
        return
    for check in sorted(now.checks, key=lambda check: (not check.error, check.code)):
        said_by = _SAID_BY.get(check.code)
        if check.muted or (said_by and getattr(now, said_by) is not None):
            continue
        if _is_tolerated(check, rules):
            continue
        about = f"{check.code}: {check.summary}" if check.summary else check.code
        yield Refusal("health", f"the cluster reports {about}")


def _is_tolerated(check: HealthCheck, rules: Rules) -> bool:
    if check.error and not fnmatchcase(check.code, _HARMLESS_ERRORS):
        return False
    return any(fnmatchcase(check.code, name) for name in rules.tolerated)


def tolerated(now: Situation, rules: Rules) -> tuple[HealthCheck, ...]:
    """The health checks that stand and do not prevent a round; muted ones too."""
    checks = [one for one in now.checks or () if one.muted or _is_tolerated(one, rules)]
    return tuple(sorted(checks, key=lambda check: check.code))


def check_flags(_ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """Flags of the OSD map, except harmless ones, as those that stop scrubs."""
    if now.flags is None:
        yield Unknown("flags", "the flags of the OSD map are not known")
        return
    flags = sorted(now.flags.intersection(_IN_THE_WAY))
    if flags:
        are = "flag {} is" if len(flags) == 1 else "flags {} are"
        said = f"the {are.format(', '.join(flags))} set: the cluster may be under maintenance"
        yield Refusal("flags", said)


# The share of a pool's free space that a round may use; the rest is for clients.
_POOL_SHARE = 0.5


def check_fullness(ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """OSDs that are full or nearly full. A full one accepts no writes, so that is not forceable.

    A bench writes up to a few GiB to each OSD's device before it deletes them; above the nearfull
    ratio (``mon_osd_nearfull_ratio``) that may fill the device.
    """
    if now.fullness is None:
        yield Unknown(
            "fullness", "it is not known whether the OSDs are nearly full", essential=True
        )
        return
    chosen = set(ask.osds).intersection(now.fullness)
    full = {osd for osd in chosen if now.fullness[osd] == "full"}
    nearly = chosen - full
    if full:
        yield Refusal("osd-full", f"{_osds_are(full)} full, and a bench writes", forceable=False)
    if nearly:
        yield Refusal("osd-nearfull", f"{_osds_are(nearly)} nearly full, and a bench writes")


def check_space(ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """OSDs that the round's data would make full or nearfull."""
    if now.space is None:
        yield Unknown("space", "it is not known how much free space the OSDs have")
        return
    known = {osd: now.space[osd] for osd in ask.osds if osd in now.space}
    unknown = set(ask.osds) - set(known)
    if unknown:
        yield Unknown("space", f"it is not known how much free space {osd_names(unknown)} have")
    peak = ask.peak_bytes_per_osd
    full = {osd for osd, space in known.items() if _past(space, peak, now.full_ratio)}
    nearfull = {
        osd
        for osd, space in known.items()
        # check_fullness reports OSDs that are nearfull already.
        if _past(space, peak, now.nearfull_ratio) and not _past(space, 0, now.nearfull_ratio)
    } - full
    if full:
        yield Refusal(
            "space-full",
            f"the {gib(peak)} of a bench would make {osd_names(full)} full",
            forceable=False,
        )
    if nearfull:
        yield Refusal(
            "space-nearfull",
            f"the {gib(peak)} of a bench would make {osd_names(nearfull)} nearfull",
        )


def check_pool(ask: Ask, now: Situation, _rules: Rules) -> Answers:
    """Free space in the bench pool, for rounds that write to it."""
    if ask.pool_bytes <= 0:
        return
    if now.pool_available is None:
        yield Unknown("pool", "it is not known how much free space the bench pool has")
    elif ask.pool_bytes > now.pool_available * _POOL_SHARE:
        fits = ask.pool_bytes <= now.pool_available
        yield Refusal(
            "pool-space",
            f"the round would write {gib(ask.pool_bytes)} to the bench pool, which has "
            f"{gib(now.pool_available)} of free space",
            forceable=fits,
        )


def _past(space: Space, more: int, ratio: float) -> bool:
    return space.used + more >= space.total * ratio


# --- how often OSDs and the OSD map change --------------------------------------------------------
#
# An OSD that gets a new map while `osd bench` runs on it can hang, by a fault of Ceph
# (docs/upstream/osd-bench-hang.md). Rounds cause no map during their benches, but others may:
# snapshots and pools that come and go all the time.

# Seconds that OSDs' changes are kept, and that is looked back on for new maps.
FLAP_SPAN, MAPS_SPAN = 3600.0, 600.0
# Maps come in bursts, as when a pool is made or an OSD restarts: such a minute is no rule.
_LEAST_MINUTES = 3
_MINUTE = 60.0
# Shorter looks say nothing.
_LEAST_SECONDS = _LEAST_MINUTES * _MINUTE
# Seconds of a bench that no round has measured yet; the limits of Ceph allow for 30.
_BENCH_SECONDS = 2.0
# Settings of a round bring maps up to so many seconds after its end.
_AFTER_ROUND = 15.0


class _Look(NamedTuple):
    """The changed OSDs and the new maps since the look before, so many ``seconds`` earlier.

    ``maps`` is None where those of a round may be among them.
    """

    at: float
    seconds: float
    changed: frozenset[int]
    maps: Optional[int]


class MapChanges:
    """Counts what changes in the OSD map. ``look`` is for one thread, the others for any.

    Sample every few seconds. OSDs that went down and up in between are missed, but show in health
    checks and PG states.
    """

    def __init__(self) -> None:
        self._last: Optional[tuple[float, frozenset[int], int]] = None
        self._since = 0.0
        self._round_until = -math.inf
        self._looks: deque[_Look] = deque()

    def look(self, now: float, up: Iterable[int], epoch: int, round_runs: bool) -> None:
        """Take the OSDs that are up, and the map's epoch, at ``now`` (monotonic seconds)."""
        current = frozenset(up)
        if round_runs:
            self._round_until = now + _AFTER_ROUND
        if self._last is None:
            self._since = now
        else:
            at, before, known = self._last
            maps = max(0, epoch - known) if now >= self._round_until else None
            self._looks.append(_Look(now, now - at, current ^ before, maps))
        self._last = now, current, epoch
        while self._looks and now - self._looks[0].at >= FLAP_SPAN:
            self._looks.popleft()

    def counts(self, now: float, span: float) -> Optional[Mapping[int, int]]:
        """By OSD how often it went up or down within ``span`` seconds (up to ``FLAP_SPAN``).

        None if sampling began later than that and no change was seen. An OSD that is new in the
        map, or was removed, counts as changed.
        """
        recent = (one.changed for one in tuple(self._looks) if now - one.at < span)
        changes = Counter(osd for changed in recent for osd in changed)
        if not changes and (self._last is None or now - self._since < span):
            return None
        return changes

    def maps(self, now: float) -> Optional[NewMaps]:
        """The new maps of the last ``MAPS_SPAN`` seconds; None before the first look.

        Those that came while a round ran are not counted, nor that time.
        """
        if self._last is None:
            return None
        recent = [one for one in tuple(self._looks) if now - one.at < MAPS_SPAN]
        seen = [(one, one.maps) for one in recent if one.maps is not None]
        minutes = {one.at // _MINUTE for one, maps in seen if maps}
        seconds = sum(one.seconds for one, _ in seen)
        return NewMaps(sum(maps for _, maps in seen), len(minutes), seconds)


def check_maps(ask: Ask, now: Situation, rules: Rules) -> Answers:
    """An OSD map that changes all the time."""
    if not ask.benches or rules.maps_met is None:
        return
    if now.maps is None or now.maps.seconds < _LEAST_SECONDS:
        yield Unknown("osd-maps", "it is not known how often the OSD map changes")
        return
    count, minutes, seconds = now.maps
    met = ask.benches * min(1.0, (ask.bench_seconds or _BENCH_SECONDS) * count / seconds)
    if minutes >= _LEAST_MINUTES and met > rules.maps_met:
        yield Refusal(
            "osd-maps",
            f"the OSD map changed {count} times in {span(seconds)}, and Ceph can hang "
            "an OSD that gets a new map during a bench; 'ceph log last 50 info audit' "
            "shows what changes it",
        )


# --- the operator's rules, clients and wear -------------------------------------------------------


def possible(results: Iterable[tuple[int, OsdResult]], osds: int, copies: float) -> Load:
    """The highest load of clients, from the newest result of each OSD.

    ``results`` are pairs of a block size and a result, the newest round last; ``osds`` is the
    number of OSDs in the cluster. OSDs without a result count as the mean of the others. A client's
    write is ``copies`` writes of OSDs (3 for three replicas, 1.5 for 4+2); a read is only one, so
    the figure is low for clients that read. Bandwidth comes from blocks of 1 MiB and more,
    operations from smaller ones. The sum of OSDs measured alone is an upper bound: network, CPUs
    and enclosures are ignored.
    """
    bandwidths, operations = {}, {}
    for block_size, result in results:
        if block_size >= MIB and result.median_bytes_per_second is not None:
            bandwidths[result.osd] = result.median_bytes_per_second
        elif block_size < MIB and result.median_iops is not None:
            operations[result.osd] = result.median_iops
    return Load(
        _whole(list(bandwidths.values()), osds, copies),
        _whole(list(operations.values()), osds, copies),
    )


def _whole(figures: list[float], osds: int, copies: float) -> Optional[float]:
    if not figures or osds < 1 or copies <= 0:
        return None
    return sum(figures) / len(figures) * osds / copies


def checked(rules: Rules) -> Rules:
    """Raise NotNow for an invalid option: then no round starts, not even with ``--force``."""
    try:
        if rules.window:
            parse_window(rules.window)
            zone(rules.timezone)
    except InvalidValue as error:
        option = f"mgr/perf_bench/admission_{error.field}"
        raise NotNow(f"the option {option}: {error.message}") from error
    return rules


# Bytes/s and operations/s of an idle cluster, as by the mgr and dashboards.
_IDLE_BYTES = 1 << 20
_IDLE_OPS = 20.0


def check_clients(_ask: Ask, now: Situation, rules: Rules) -> Answers:
    """Clients that use more than their share of the possible load."""
    if now.client is None:
        yield Unknown("client-load", "the load of clients is not known")
        return
    possible = now.possible
    pairs = (
        (now.client.bytes_per_second, possible and possible.bytes_per_second, _IDLE_BYTES),
        (now.client.ops_per_second, possible and possible.ops_per_second, _IDLE_OPS),
    )
    busy = [(used, most) for used, most, idle in pairs if used is not None and used > idle]
    shares = [used / most for used, most in busy if most]
    if shares and max(shares) > rules.client_share:
        yield Refusal(
            "client-load",
            f"clients use {100 * max(shares):.3g} % of what the last rounds showed "
            f"possible, and up to {100 * rules.client_share:.3g} % is allowed",
        )
    elif len(shares) < len(busy):
        yield Unknown(
            "client-load",
            "clients are busy, but how near they are to the limit is not known before a round of "
            "osd-throughput and one of osd-iops",
        )


def check_wear(ask: Ask, now: Situation, rules: Rules) -> Answers:
    """OSDs to which rounds would have written more than a day's budget."""
    if now.wear is None:
        yield Unknown("wear", "it is not known how much rounds wrote in the last 24 h")
        return
    budgets, written = budgets_of(ask.osds, now, rules), now.written or {}
    need = ask.bytes_per_osd
    # By OSD the bytes over its budget.
    over = {osd: written.get(osd, 0) + need - budgets[osd] for osd in ask.osds}
    over = {osd: size for osd, size in over.items() if size > 0}
    if over:
        rounds = sorted(now.wear.rounds, key=lambda one: one.at)
        frees = {osd: _free_at(rounds, now.at, osd, size) for osd, size in over.items()}
        worst = max(over, key=lambda osd: (frees[osd], over[osd]))
        fits_in = frees[worst] - now.at
        fits = "it never fits" if fits_in == math.inf else f"it fits in {span(fits_in)}"
        yield Refusal(
            "wear",
            f"{osd_names(list(over))}: rounds wrote {gib(written.get(worst, 0))} in the last 24 h, "
            f"this one would write {gib(need)} more, and the budget is {gib(budgets[worst])} a "
            f"day: {fits}",
        )


def _free_at(rounds: Sequence[RoundWear], now: float, osd: int, over: int) -> float:
    """When so many bytes of an OSD no longer count; infinite if that is never."""
    for one in rounds:
        if now - one.at < DAY:
            over -= one.by_osd.get(osd, 0)
            if over <= 0:
                return one.at + DAY
    return math.inf


def check_window(ask: Ask, now: Situation, rules: Rules) -> Answers:
    """The operator's window for rounds."""
    if not rules.window:
        return
    where, hours = zone(rules.timezone), parse_window(rules.window)
    begin, end = coming(hours, now.at, where)
    window = f"{hours} {rules.timezone}"
    if begin > now.at:
        shown = local(now.at, where)
        yield Refusal(
            "window",
            f"it is {shown:%H:%M}, outside the window {window}, which opens in "
            f"{span(begin - now.at)}",
        )
    elif ask.seconds > end - now.at:
        yield Refusal(
            "window-short",
            f"the round takes about {span(ask.seconds)}, and the window {window} closes "
            f"in {span(end - now.at)}",
        )


Check = Callable[[Ask, Situation, Rules], Answers]

# In the order in which an operator should read them: what runs, what is broken, what may break,
# the operator's rules.
CHECKS: tuple[Check, ...] = (
    check_running,
    check_down,
    check_changes,
    check_maps,
    check_upgrade,
    check_pgs,
    check_slow_ops,
    check_health,
    check_flags,
    check_fullness,
    check_space,
    check_pool,
    check_clients,
    check_wear,
    check_window,
)


def decide(ask: Ask, now: Situation, rules: Rules) -> Admission:
    """Refuse rounds that could do harm or would give wrong results; list unknowns."""
    answers = [answer for check in CHECKS for answer in check(ask, now, rules)]
    refusals = [answer for answer in answers if isinstance(answer, Refusal)]
    unknowns = [answer for answer in answers if isinstance(answer, Unknown)]
    if not rules.attended:
        refusals += [Refusal(one.code, one.message) for one in unknowns if one.essential]
        unknowns = [one for one in unknowns if not one.essential]
    return Admission(tuple(refusals), tuple(unknowns), tolerated(now, rules))


# The lowest endurance of data-centre flash is 0.3 drive writes a day (large QLC drives); 1 to 3 are
# common. Rounds may use a tenth of the lowest.
_SHARE_OF_DAY = 0.1
_DRIVE_WRITES_PER_DAY = 0.3
# The device class of spinning disks, which do not wear by writing.
_DISKS = "hdd"
# For an unknown size and for small devices: ten rounds of osd-throughput with all repeats, half of
# the day's 0.3 drive writes of a 480 GB drive. Less would refuse normal use.
LEAST_BUDGET = 64 << 30


def budget(device_bytes: Optional[int], option: Optional[int]) -> int:
    """Bytes a day for one OSD: the operator's ``option``, or 3 % of its device."""
    if option is not None:
        return option
    share = (device_bytes or 0) * _DRIVE_WRITES_PER_DAY * _SHARE_OF_DAY
    return max(LEAST_BUDGET, round(share))


def budgets_of(osds: Iterable[int], now: Situation, rules: Rules) -> dict[int, int]:
    """By OSD its bytes a day."""
    space = now.space or {}
    sizes = {osd: space[osd].total if osd in space else None for osd in osds}
    # Thousands of OSDs have a few sizes.
    by_size = {size: budget(size, rules.wear_bytes_per_day) for size in set(sizes.values())}
    return {osd: by_size[size] for osd, size in sizes.items()}


def wear_by_class(
    osds: Sequence[Osd], writes: Mapping[int, int], now: Situation, rules: Rules
) -> tuple[ClassWear, ...]:
    """What a round wears that writes so many bytes to each OSD, by device class."""
    classes: dict[Optional[str], list[int]] = defaultdict(list)
    for osd in osds:
        if osd.id in writes:
            classes[osd.device_class].append(osd.id)
    space, written = now.space or {}, now.written
    found = []
    for device_class, ids in sorted(classes.items(), key=lambda entry: entry[0] or ""):
        sizes = {osd: space[osd].total for osd in ids if osd in space}
        full = max((100 * writes[osd] / size for osd, size in sizes.items() if size), default=None)
        rated = None if full is None or device_class == _DISKS else full / _DRIVE_WRITES_PER_DAY
        used = [now.endurance_used[osd] for osd in ids if osd in now.endurance_used]
        budgets = budgets_of(ids, now, rules)
        # A budget of nothing is used up by nothing.
        shares = [
            100 * ((written or {}).get(osd, 0) + writes[osd]) / budgets[osd]
            if budgets[osd]
            else 100.0
            for osd in ids
        ]
        wear = ClassWear(
            device_class=device_class,
            osds=len(ids),
            bytes_per_osd=max(writes[osd] for osd in ids),
            device_bytes=min(sizes.values(), default=None),
            sizes_unknown=len(ids) - len(sizes),
            full_write_percent=full,
            rated_writes_per_day=_DRIVE_WRITES_PER_DAY,
            rated_day_percent=rated,
            budget_bytes=min(budgets.values()),
            budget_percent=None if written is None else max(shares),
            used_percent=100 * max(used) if used else None,
            used_unknown=len(ids) - len(used),
        )
        found.append(wear)
    return tuple(found)


def book(ledger: WearLedger, round_: str, planned: Mapping[int, int], now: float) -> WearLedger:
    """Book the bytes that a round will write, by OSD; replaces an earlier booking of it.

    Booking before the round counts a round whose mgr dies in full.
    """
    kept = [one for one in ledger.rounds if one.round != round_ and now - one.at < DAY]
    return WearLedger((*kept, RoundWear(round_, now, dict(planned))))
