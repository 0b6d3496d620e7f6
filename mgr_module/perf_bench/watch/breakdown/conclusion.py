"""Join what an OSD and those beside it have answered, and say whose fault it is.

The first sentence is the conclusion, the others support it. A replica is named only where it is
behind at least half of the waits, in three operations or more, and waiting for sub-operations is a
third of the time.

An OSD that stands still sees answers late that came in time, so it seems to wait for its replicas
as they wait for it. Of two that wait for each other, the one for which all asked OSDs wait longer
is at fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.cluster import pgs_with
from ...model.phrases import listed, osd_names, span
from ...model.statistics import median
from ...model.verdict import (
    ASKING,
    COMPLETE,
    Answers,
    OsdWhy,
    OsdWhyBackground,
    OsdWhyBehind,
    OsdWhyBlocked,
    OsdWhyCounter,
    OsdWhyMean,
    OsdWhyPeer,
    OsdWhySampled,
    OsdWhyWait,
    Stage,
    Total,
    TrackedOperation,
)
from .parsing import COUNTERS, PARTS, THROTTLES, WORDS, mean_ms, totals_of
from .stages import Split, shared_out, split

PEER, SUSPECT = "peer", "suspect"
# A replica is named from this share of the waits, and this many operations on.
NAMED_SHARE = 0.5
NAMED_OPERATIONS = 3
# A stage is the reason from this share of the time on.
MAIN_SHARE = 1 / 3
# A stage or a part with less of the time is not worth a sentence.
_LEAST_SHOWN = 0.01
# Where the slowest operation of the last minutes took less, no client has felt any: what most of so
# short a time went into is no reason. A disk needs longer for one seek; the slowest operations of
# flash that is slow take longer, too.
FELT_SECONDS = 0.005
# An OSD's figure stands out from this ratio to the other OSDs' median, and from this many ms on: an
# idle OSD may need 1 ms where others need 0.3, and no client has noticed. Commits of flash without
# power-loss protection take some ms.
STANDS_OUT_RATIO = 2.0
STANDS_OUT_MS = 2.0
# Fewer operations have no meaningful mean.
_FEWEST = 10
# A write waits for its replicas, so its latency blames the wrong OSD; deferred writes are collected
# for as long as there is room for them, and nobody waits for that.
_NOT_COMPARED = THROTTLES | {"client_write", "deferred_queue", "deferred_cleanup"}
# Figures, reasons, waits and events that are named: what is kept with a finding is some kB.
_MOST_NAMED = 3
# Waits for shards without a name are told from these seconds on.
_LEAST_UNNAMED = 0.01

Splits = Sequence[tuple[TrackedOperation, Split]]


class Asked(NamedTuple):
    """An OSD that was asked; ``role`` is PEER or SUSPECT, "" for the one that it is about."""

    host: str
    role: str
    answers: Answers


def breakdown(
    osd: int,
    asked: Mapping[int, Asked],
    asked_at: str,
    until: str,
    is_complete: bool,
    background: Sequence[OsdWhyBackground] = (),
) -> OsdWhy:
    """The breakdown of an OSD's latency; ``asked`` has it and those that were asked beside it."""
    target = asked[osd].answers
    others = {other: one for other, one in asked.items() if other != osd}
    clients, replica = _of_clients(target), _of_replica(target)
    waits = {other: _waits(one.answers) for other, one in asked.items()}
    behind = _summed({wait.osd: wait.seconds} for those in waits.values() for wait in those)
    blocked = _summed(one.blocked for _, one in clients)
    totals, span_ = totals_of(target)
    found = OsdWhy(
        osd=osd,
        state=COMPLETE if is_complete else ASKING,
        asked_at=asked_at,
        until=until,
        sentences=(),
        not_told=_not_told(target, clients),
        operations=_shares(clients),
        sampled=_sampled(clients),
        sub_operations=_shares(replica),
        sub_sampled=_sampled(replica),
        waits_for=waits[osd],
        waited_for_by=[
            replace(wait, osd=other) for other in others for wait in waits[other] if wait.osd == osd
        ],
        behind=[OsdWhyBehind(one, round(seconds, 4)) for one, seconds in behind.items()],
        blocked_by=[OsdWhyBlocked(why, round(seconds, 4)) for why, seconds in blocked.items()],
        background=background,
        counters=_counters(totals, others),
        counter_seconds=None if span_ is None else round(span_, 4),
        peers=[
            OsdWhyPeer(other, one.host, one.role, len(one.answers.operations), one.answers.problems)
            for other, one in others.items()
        ],
    )
    problem = target.problems[0] if target.problems and not target.operations else ""
    return replace(found, sentences=sentences(found, problem))


def evidence(found: OsdWhy, asked_at: float) -> Mapping[str, Any]:
    """What of it is kept with a finding, in the keys of ``finding_kinds``; JSON-ready, bounded.

    ``asked_at`` is unix seconds.
    """
    stages = sorted(found.operations.items(), key=lambda one: -one[1])
    kept = {
        "why": list(found.sentences),
        "time_spent": [
            {"stage": stage.replace("_", " "), "stage_share": round(share, 3)}
            for stage, share in stages
            if share >= _LEAST_SHOWN
        ],
        "waits_for": _kept(found.waits_for),
        "waited_for_by": _kept(found.waited_for_by),
        "asked_at": asked_at,
        "not_told": list(found.not_told),
    }
    return {key: value for key, value in kept.items() if value}


def _kept(waits: Sequence[OsdWhyWait]) -> Sequence[Mapping[str, Any]]:
    return [
        {
            "waits_osd": one.osd,
            "waits_seconds": round(one.seconds, 3),
            "waits_share": round(one.share, 3),
        }
        for one in waits[:_MOST_NAMED]
    ]


# --- figures ---------------------------------------------------------------------------------


def _of_clients(answers: Answers) -> Splits:
    return [(one, split(one)) for one in answers.operations.values() if one.is_client]


def _of_replica(answers: Answers) -> Splits:
    return [(one, split(one)) for one in answers.operations.values() if one.is_sub_operation]


def _waits(answers: Answers) -> Sequence[OsdWhyWait]:
    return shared_out(one for _, one in _of_clients(answers))


def _shares(splits: Splits) -> dict[str, float]:
    """Every stage with its share of the time; empty without any time."""
    seconds = _summed(one.seconds for _, one in splits)
    total = sum(seconds.values())
    if total <= 0:
        return {}
    return {one.value: round(seconds.get(one, 0.0) / total, 4) for one in Stage}


def _sampled(splits: Splits) -> OsdWhySampled:
    durations = [one.end - one.events[0].at for one, _ in splits]
    in_flight = sum(one.in_flight for one, _ in splits)
    longest = max(durations, default=0.0)
    return OsdWhySampled(len(durations), in_flight, round(sum(durations), 4), round(longest, 4))


def _summed(parts: Iterable[Mapping[Any, float]]) -> dict[Any, float]:
    """By name the sum, the greatest first."""
    found: dict[Any, float] = {}
    for one in parts:
        for name, value in one.items():
            found[name] = found.get(name, 0.0) + value
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _counters(totals: Mapping[str, Total], others: Mapping[int, Asked]) -> list[OsdWhyCounter]:
    theirs = [(osd, totals_of(one.answers)[0]) for osd, one in sorted(others.items())]
    found = []
    for name, words, *_ in COUNTERS:
        ms = mean_ms(totals, name)
        if ms is not None:
            means = [(osd, mean_ms(their, name)) for osd, their in theirs]
            known = [OsdWhyMean(osd, mean) for osd, mean in means if mean is not None]
            found.append(OsdWhyCounter(name, words, ms, totals[name].count, known))
    return found


def _not_told(target: Answers, clients: Splits) -> list[str]:
    """What could not be known, in sentences."""
    found = list(target.problems)
    unnamed = sum(one.unnamed for _, one in clients)
    if unnamed >= _LEAST_UNNAMED:
        found.append(
            "Ceph does not tell which shard of an erasure-coded pool was late: "
            f"{unnamed:.3g} s of waiting for sub-operations have no name."
        )
    if any(len(one.waited_for) > 1 for _, one in clients):
        found.append(
            "Ceph does not tell which of several replicas answered last: waits are counted for "
            "the OSD that the most of them have in common."
        )
    return found


# --- sentences -------------------------------------------------------------------------------


def sentences(found: OsdWhy, problem: str) -> list[str]:
    """The conclusion, then what supports it; ``problem`` is why no operations are known."""
    told = (
        _conclusion(found, problem),
        background_sentence(found.background),
        _held(found),
        _outstanding(found),
    )
    return [sentence for sentence in told if sentence]


def culprit(found: OsdWhy) -> Optional[OsdWhyWait]:
    """The replica that holds this OSD up; None if none does, or if others wait for this OSD."""
    if holders(found) or found.operations.get(Stage.SUB_OPERATIONS.value, 0.0) < MAIN_SHARE:
        return None
    return next((wait for wait in found.waits_for[:1] if _counts(wait)), None)


def holders(found: OsdWhy) -> Sequence[OsdWhyWait]:
    """The asked OSDs that wait mostly for this one; none if it waits for a worse one itself."""
    worst = found.waits_for[0].osd if found.waits_for else found.osd
    behind = {one.osd: one.seconds for one in found.behind}
    if behind.get(found.osd, 0.0) < behind.get(worst, 0.0):
        return ()
    return [wait for wait in found.waited_for_by if _counts(wait)]


def _counts(wait: OsdWhyWait) -> bool:
    return wait.share > NAMED_SHARE and wait.operations >= NAMED_OPERATIONS


def _conclusion(found: OsdWhy, problem: str) -> str:
    osd, waiting, behind = f"osd.{found.osd}", holders(found), culprit(found)
    if not _is_felt(found):
        longest = _ms(1000 * max(found.sampled.longest_seconds, found.sub_sampled.longest_seconds))
        return f"The slowest operation of {osd} in the last minutes took {longest}: nobody felt it."
    if waiting:
        names = osd_names(wait.osd for wait in waiting)
        waits = "waits" if len(waiting) == 1 else "wait"
        return f"{osd} is at fault itself: {names} {waits} for it more than for any other OSD."
    if behind is not None:
        return f"The slowest operations of {osd} are held up by osd.{behind.osd}."
    main = max(Stage, key=lambda stage: found.operations.get(stage.value, 0.0))
    share = found.operations.get(main.value, 0.0)
    if share >= MAIN_SHARE:
        stage = main.value.replace("_", " ")
        part = f"{100 * share:.0f} % of its operations' time"
        return f"{osd} spends {part} in '{stage}'{_parts(found, main)}."
    if found.sampled.operations:
        return f"No stage of {osd}'s operations takes a third of their time."
    if found.sub_sampled.operations:
        problem = f"No operation of a client was sampled on {osd}, only what it does as a replica."
    return problem or f"No operations of {osd} are known, neither slow ones nor any in flight."


def _is_felt(found: OsdWhy) -> bool:
    """Whether any operation took long enough to be felt; also where none is known."""
    sampled = (found.sampled, found.sub_sampled)
    known = any(one.operations for one in sampled)
    return not known or any(one.longest_seconds >= FELT_SECONDS for one in sampled)


def _parts(found: OsdWhy, stage: Stage) -> str:
    """What its counters say of that stage, after the conclusion; empty where they say nothing."""
    seconds = {one.counter: one.ms * one.operations for one in found.counters}
    parts = {name: seconds.get(name, 0.0) for name in PARTS.get(stage, ())}
    whole = max(seconds.get("read", 0.0) if stage is Stage.READ else 0.0, sum(parts.values()))
    named = [
        f"{100 * part / whole:.0f} % {WORDS[name]}"
        for name, part in sorted(parts.items(), key=lambda one: -one[1])
        if part > _LEAST_SHOWN * whole
    ]
    return f": {listed(named)}{_since(found)}" if named else ""


def _held(found: OsdWhy) -> str:
    """What operations waited for before they were carried out."""
    if found.operations.get(Stage.READABLE.value, 0.0) >= _LEAST_SHOWN:
        return (
            "Placement groups were laggy: a replica did not renew its lease in time; "
            "'ceph perf-bench laggy ls' names it."
        )
    if found.operations.get(Stage.BLOCKED.value, 0.0) < _LEAST_SHOWN or not found.blocked_by:
        return ""
    reasons = [f"{one.reason} ({span(one.seconds)})" for one in found.blocked_by]
    return f"Operations were blocked: {', '.join(reasons[:_MOST_NAMED])}."


def _outstanding(found: OsdWhy) -> str:
    """Where counters of the OSD at fault stand out from the others', the worst first."""
    if not _is_felt(found):
        return ""
    behind = culprit(found)
    accused = found.osd if behind is None else behind.osd
    # Who else is suspect is no measure of what is usual.
    measures = {found.osd, *(peer.osd for peer in found.peers if peer.role == PEER)} - {accused}
    worst, is_known = [], False
    for one in found.counters:
        means = {found.osd: one.ms, **{other.osd: other.ms for other in one.others}}
        usual = [ms for osd, ms in means.items() if osd in measures]
        if one.counter in _NOT_COMPARED or one.operations < _FEWEST or not usual:
            continue
        # Without work as a replica meanwhile, its counters say nothing of that.
        is_known |= one.counter == "sub_write" and accused in means
        ms = means.get(accused, 0.0)
        ratio = ms / max(median(usual), 0.001)
        if ratio >= STANDS_OUT_RATIO and ms >= STANDS_OUT_MS:
            times = f"x{ratio:.2g}" if ratio < 100 else "more than x100"
            worst.append((-ratio, f"{one.words} {_ms(ms)}, {times}"))
    if worst:
        named = "; ".join(text for _, text in sorted(worst)[:_MOST_NAMED])
        return f"Against the others, osd.{accused} stands out in: {named}{_since(found)}."
    if behind is None or not is_known or found.counter_seconds is None:
        return ""  # since its start it may have been quick for long
    return (
        f"In its counters osd.{accused} does not stand out: it is slow only at times, its process "
        "stands still, or the network between the two is slow."
    )


def _since(found: OsdWhy) -> str:
    """What is added if the counters' figures are not of the time of asking."""
    return " (since its start)" if found.counter_seconds is None else ""


def _ms(value: float) -> str:
    return f"{value:.0f} ms" if value >= 10 else f"{value:.2g} ms"


# --- what Ceph itself does on its placement groups ---------------------------------------------

# Which option bounds it depends on the scheduler (``osd_op_queue``). mClock sets all ``..._sleep``
# options to 0, and ``osd_max_backfills`` to its own default: its profile bounds trims, recovery and
# backfill (Ceph's doc/rados/configuration/mclock-config-ref.rst, "Locked Config Options" and "Sleep
# Options"). It is the default from 17 on; wpq, the default of 16, sleeps between two steps
# (osd-config-ref.rst). ``osd_snap_trim_sleep`` and ``osd_recovery_sleep`` are for all kinds of
# devices: where they are not 0, they replace those with ``_hdd``, ``_ssd`` and ``_hybrid``.
MCLOCK = "mclock_scheduler"
_PROFILE = "osd_mclock_profile"


# The kind of work, the word of a PG's state, what it is, and the options that bound it with wpq
# and with mClock. A PG that waits for it has the state KIND_wait. Either limits scrubs in number.
_WORKS = (
    ("snaptrim", "snaptrim", "snapshots are trimmed", "osd_snap_trim_sleep", _PROFILE),
    ("deep_scrub", "deep", "deep scrubs run", "osd_max_scrubs", "osd_max_scrubs"),
    ("scrub", "scrubbing", "scrubs run", "osd_max_scrubs", "osd_max_scrubs"),
    ("recovery", "recovering", "recovery runs", "osd_recovery_sleep", _PROFILE),
    ("backfill", "backfilling", "backfill runs", "osd_max_backfills", _PROFILE),
)


def works_on(by_state: Mapping[str, int]) -> bool:
    """Whether any such work runs on these PGs."""
    return any(_count(by_state, state) for _, state, *_ in _WORKS)


def background(
    by_osd: Mapping[int, Mapping[str, int]], osd: int, scheduler: Optional[str]
) -> Sequence[OsdWhyBackground]:
    """What runs on PGs that have this OSD in their acting set; ``by_osd`` counts PGs by state."""
    mine = by_osd.get(osd, {})
    others = [states for other, states in by_osd.items() if other != osd]
    found = []
    for kind, state, words, wpq, mclock in _WORKS:
        pgs, usual = _count(mine, state), [_count(states, state) for states in others]
        if pgs:
            option = mclock if scheduler == MCLOCK else wpq
            middle = median(usual) if usual else None
            waiting = _count(mine, f"{kind}_wait")
            found.append(OsdWhyBackground(kind, words, pgs, waiting, middle, option))
    return found


def background_sentence(found: Sequence[OsdWhyBackground]) -> str:
    """What ran meanwhile, and what bounds it; empty for nothing."""
    works = [
        f"{one.words} on {one.pgs} of its PGs"
        + (f", {one.waiting} more wait" if one.waiting else "")
        + ("" if one.others is None else f" (median of other OSDs: {one.others:g})")
        + f", bounded by {one.option}"
        for one in found
    ]
    return f"Meanwhile {'; '.join(works)}." if works else ""


def _count(by_state: Mapping[str, int], word: str) -> int:
    """The PGs in this work; a deep scrub has both words."""
    found = pgs_with(by_state, word)
    return found - pgs_with(by_state, "deep") if word == "scrubbing" else found
