"""Decide from a snapshot whether a round may start now; lists all reasons, not only the first.

With the operator's rules, the load that the cluster can take by the last rounds, and the wear
budget: the bytes that rounds may write to each OSD's device in a day.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Callable, Optional, Union

from ...errors import InvalidValue, NotNow, PerfBenchError
from ...model.admission import (
    DAY,
    Admission,
    Ask,
    ClassWear,
    Load,
    Overdraft,
    Refusal,
    RoundWear,
    Rules,
    Situation,
    Unknown,
    WearLedger,
)
from ...model.bench import MIB
from ...model.options import SafetyOptions
from ...model.osd import Osd
from ...model.phrases import GIB, gib, osd_names, span
from ...model.round import OsdResult
from ..schedule.times import coming, local, parse_window, zone
from .checks import (
    check_changes,
    check_down,
    check_flags,
    check_fullness,
    check_health,
    check_maps,
    check_pgs,
    check_pool,
    check_running,
    check_slow_ops,
    check_space,
    check_upgrade,
    tolerated,
)


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


def tolerated_of(options: SafetyOptions) -> tuple[str, ...]:
    """The health checks that do not prevent a round."""
    return tuple(options.tolerated.replace(",", " ").split())


def rules_of(options: SafetyOptions, attended: bool = True) -> Rules:
    """The rules. With ``attended`` False, unknown essentials count as refusals.

    Raises NotNow for an invalid option: then no round starts, not even with ``--force``.
    """
    try:
        window = parse_window(options.window) if options.window.strip() else None
    except InvalidValue as error:
        raise NotNow(f"the option mgr/perf_bench/admission_window: {error.message}") from error
    try:
        zone(options.timezone)
    except InvalidValue as error:
        raise NotNow(f"the option mgr/perf_bench/admission_timezone: {error.message}") from error
    return Rules(
        tolerated=tolerated_of(options),
        client_share=options.client_percent / 100,
        window=window,
        timezone=options.timezone,
        wear_bytes_per_day=options.wear_gib_per_day * GIB or None,
        flap_seconds=float(options.flap_seconds),
        maps_met=options.maps_met or None,
        attended=attended,
        may_raise=options.quiesce,
    )


# Bytes/s and operations/s of an idle cluster, as by the mgr and dashboards.
_IDLE_BYTES = 1 << 20
_IDLE_OPS = 20.0


def check_clients(_ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
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


def check_wear(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs to which rounds would have written more than a day's budget."""
    if now.wear is None:
        yield Unknown("wear", "it is not known how much rounds wrote in the last 24 h")
        return
    over = overdrafts(ask, now, budgets_of(ask.osds, now, rules))
    if over:
        last = max(over, key=_fits_last)
        yield Refusal(
            "wear",
            f"{osd_names([one.osd for one in over])}: rounds wrote {gib(last.written)} "
            f"in the last 24 h, this one would write {gib(last.need)} more, and the "
            f"budget is {gib(last.budget)} a day: {_fits(last, now.at)}",
        )


def _fits_last(over: Overdraft) -> tuple[float, int]:
    """Sorts by when the round fits; of those at the same time, by the bytes over the budget."""
    free_at = math.inf if over.free_at is None else over.free_at
    return free_at, over.written + over.need - over.budget


def _fits(over: Overdraft, now: float) -> str:
    if over.free_at is None:
        return "it never fits"
    return f"it fits in {span(over.free_at - now)}"


def check_window(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """The operator's window for rounds."""
    if rules.window is None:
        return
    try:
        where = zone(rules.timezone)
    except PerfBenchError as error:  # no zone, or no data about it on this host
        yield Unknown(
            "window", f"it is not known whether the window is open: {error}", essential=True
        )
        return
    begin, end = coming(rules.window, now.at, where)
    window = f"{rules.window} {rules.timezone}"
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


Answer = Union[Refusal, Unknown]
Check = Callable[[Ask, Situation, Rules], Iterator[Answer]]

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
    ordered = sorted(classes.items(), key=lambda entry: entry[0] or "")
    return tuple(_class_wear(class_, ids, writes, now, rules) for class_, ids in ordered)


def _class_wear(
    device_class: Optional[str],
    osds: Sequence[int],
    writes: Mapping[int, int],
    now: Situation,
    rules: Rules,
) -> ClassWear:
    space, written = now.space or {}, now.written
    sizes = {osd: space[osd].total for osd in osds if osd in space}
    full = max((100 * writes[osd] / size for osd, size in sizes.items() if size), default=None)
    rated = None if full is None or device_class == _DISKS else full / _DRIVE_WRITES_PER_DAY
    used = [now.endurance_used[osd] for osd in osds if osd in now.endurance_used]
    budgets = budgets_of(osds, now, rules)
    return ClassWear(
        device_class=device_class,
        osds=len(osds),
        bytes_per_osd=max(writes[osd] for osd in osds),
        device_bytes=min(sizes.values(), default=None),
        sizes_unknown=len(osds) - len(sizes),
        full_write_percent=full,
        rated_writes_per_day=_DRIVE_WRITES_PER_DAY,
        rated_day_percent=rated,
        budget_bytes=min(budgets.values()),
        budget_percent=None
        if written is None
        else max(_share(written.get(osd, 0) + writes[osd], budgets[osd]) for osd in osds),
        used_percent=100 * max(used) if used else None,
        used_unknown=len(osds) - len(used),
    )


def _share(part: int, whole: int) -> float:
    """In percent; a budget of nothing is used up by nothing."""
    return 100 * part / whole if whole else 100.0


def overdrafts(ask: Ask, now: Situation, budgets: Mapping[int, int]) -> tuple[Overdraft, ...]:
    """The OSDs to which the round would write more than is left of ``budgets`` (by OSD).

    Rounds whose writes are unknown count as none.
    """
    ledger, written = now.wear or WearLedger(), now.written or {}
    over = {
        osd: written.get(osd, 0)
        for osd in ask.osds
        if written.get(osd, 0) + ask.bytes_per_osd > budgets[osd]
    }
    counting = _counting(ledger, now.at, over) if over else {}
    return tuple(
        Overdraft(
            osd,
            count,
            ask.bytes_per_osd,
            budgets[osd],
            _free_at(counting[osd], budgets[osd] - ask.bytes_per_osd),
        )
        for osd, count in over.items()
    )


# The time from which bytes count, and the bytes.
_Counting = tuple[float, int]


def _counting(ledger: WearLedger, now: float, osds: Collection[int]) -> dict[int, list[_Counting]]:
    """By OSD what still counts, oldest first."""
    rounds = sorted((one for one in ledger.rounds if now - one.at < DAY), key=lambda one: one.at)
    return {osd: [(one.at, one.by_osd[osd]) for one in rounds if osd in one.by_osd] for osd in osds}


def _free_at(counting: Sequence[_Counting], may_be_left: int) -> Optional[float]:
    """The time from which at most ``may_be_left`` bytes count; None if that is never."""
    left = sum(count for _, count in counting)
    for at, count in counting:
        left -= count
        if left <= may_be_left:
            return at + DAY
    return None


def book(ledger: WearLedger, round_: str, planned: Mapping[int, int], now: float) -> WearLedger:
    """Book the bytes that a round will write, by OSD; replaces an earlier booking of it.

    Booking before the round counts a round whose mgr dies in full.
    """
    kept = [one for one in ledger.rounds if one.round != round_ and now - one.at < DAY]
    return WearLedger((*kept, RoundWear(round_, now, dict(planned))))
