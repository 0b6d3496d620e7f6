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

from ...model.breakdown import (
    EVIDENCE,
    Answers,
    Behind,
    Blocked,
    Breakdown,
    Figure,
    Mean,
    Peer,
    Sampled,
    Stage,
    Total,
    TrackedOperation,
    Wait,
)
from ...model.phrases import listed, osd_names, plural
from ...model.statistics import median
from .counters import COUNTERS, PARTS, THROTTLES, WORDS, mean_ms, totals_of
from .stages import OperationWait, Split, shared_out, split

PEER, SUSPECT = "peer", "suspect"
# A replica is named from this share of the waits, and this many operations on.
NAMED_SHARE = 0.5
NAMED_OPERATIONS = 3
# A stage is the reason from this share of the time on.
MAIN_SHARE = 1 / 3
# A stage or a part with less of the time is not worth a sentence.
_LEAST_SHOWN = 0.01
# An OSD's figure stands out from this ratio to the other OSDs' median, and this many ms on.
STANDS_OUT_RATIO = 2.0
STANDS_OUT_MS = 1.0
# Fewer operations have no meaningful mean.
_FEWEST = 10
# A write waits for its replicas, so its latency blames the wrong OSD; deferred writes are collected
# for as long as there is room for them, and nobody waits for that.
_NOT_COMPARED = THROTTLES | {"client_write", "deferred_queue", "deferred_cleanup"}
_MOST_FIGURES = 3
_MOST_REASONS = 5
# Waits for shards without a name are told from these seconds on.
_LEAST_UNNAMED = 0.01
# What is kept with a finding is some kB.
_MOST_KEPT = 6
_MOST_WAITS = 3
_LONGEST_SENTENCE = 300
_LEAST_SHARE = 0.005

STAGE_WORDS: Mapping[Stage, str] = {
    Stage.THROTTLED: "throttled on arrival",
    Stage.RECEIVED: "being received",
    Stage.QUEUED: "queued",
    Stage.READABLE: "waiting for readable",
    Stage.BLOCKED: "blocked",
    Stage.PREPARED: "being prepared",
    Stage.READ: "reading",
    Stage.COMMIT: "waiting for its own commit",
    Stage.SUB_OPERATIONS: "waiting for sub-operations",
    Stage.FINISHED: "after the reply",
    Stage.OTHER: "in stages that this version does not know",
}


class Asked(NamedTuple):
    """An OSD that was asked; ``role`` is PEER or SUSPECT, "" for the one that it is about."""

    host: str
    role: str
    answers: Answers


class _Side(NamedTuple):
    """Operations of one side, of clients or of a replica, and their splits."""

    operations: Sequence[TrackedOperation]
    splits: Sequence[Split]

    @property
    def shares(self) -> dict[str, float]:
        """Every stage with its share of the time; empty without any time."""
        seconds = _summed(one.seconds for one in self.splits)
        total = sum(seconds.values())
        return {one.value: seconds.get(one, 0.0) / total for one in Stage} if total > 0 else {}

    @property
    def waits(self) -> Sequence[Wait]:
        return shared_out(OperationWait(one.waited_for, one.waited) for one in self.splits)

    @property
    def sampled(self) -> Sampled:
        durations = [one.end - one.events[0].at for one in self.operations]
        in_flight = sum(one.in_flight for one in self.operations)
        return Sampled(len(durations), in_flight, sum(durations), max(durations, default=0.0))


def breakdown(
    osd: int, asked: Mapping[int, Asked], asked_at: float, until: float, is_complete: bool
) -> Breakdown:
    """The breakdown of an OSD's latency; ``asked`` has it and those that were asked beside it."""
    target = asked[osd].answers
    others = {other: one for other, one in asked.items() if other != osd}
    clients, replica = _side(target, of_clients=True), _side(target, of_clients=False)
    waits = {other: _side(one.answers, of_clients=True).waits for other, one in asked.items()}
    totals, seconds = totals_of(target.first, target.last, target.seconds)
    found = Breakdown(
        osd=osd,
        asked_at=asked_at,
        until=until,
        is_complete=is_complete,
        operations=clients.shares,
        sampled=clients.sampled,
        sub_operations=replica.shares,
        sub_sampled=replica.sampled,
        waits_for=waits[osd],
        waited_for_by=[
            replace(wait, osd=other) for other in others for wait in waits[other] if wait.osd == osd
        ],
        behind=_behind(waits.values()),
        blocked_by=_blocked(clients.splits),
        counters=_figures(totals, others),
        counter_seconds=seconds,
        peers=[
            Peer(other, one.host, one.role, len(one.answers.operations), one.answers.problems)
            for other, one in others.items()
        ],
        not_told=_not_told(target, clients, bool(others)),
    )
    problem = target.problems[0] if target.problems and not target.operations else ""
    return replace(found, sentences=sentences(found, problem))


def suspect(target: Answers) -> Optional[int]:
    """The OSD that this one waits for most; None if it waits for none."""
    waits = _side(target, of_clients=True).waits
    return waits[0].osd if waits else None


def evidence(found: Breakdown) -> Mapping[str, Any]:
    """What of it is kept with a finding, in the keys of ``finding_kinds``; JSON-ready, bounded."""
    stages = sorted(found.operations.items(), key=lambda one: -one[1])
    waits_for, waited_for_by = (
        [
            {"waits_osd": one.osd}
            | {"waits_seconds": round(one.seconds, 3), "waits_share": round(one.share, 3)}
            for one in waits[:_MOST_WAITS]
        ]
        for waits in (found.waits_for, found.waited_for_by)
    )
    values = (
        [one[:_LONGEST_SENTENCE] for one in found.sentences[:_MOST_KEPT]],
        [
            {"stage": stage.replace("_", " "), "stage_share": round(share, 3)}
            for stage, share in stages
            if share >= _LEAST_SHARE
        ],
        waits_for,
        waited_for_by,
        found.asked_at,
        [one[:_LONGEST_SENTENCE] for one in found.not_told[:_MOST_KEPT]],
    )
    return {key: value for key, value in zip(EVIDENCE, values) if value}


# --- figures ---------------------------------------------------------------------------------


def _side(answers: Answers, of_clients: bool) -> _Side:
    chosen = [
        one
        for one in answers.operations.values()
        if (one.is_client if of_clients else one.is_sub_operation)
    ]
    return _Side(chosen, [split(one) for one in chosen])


def _summed(parts: Iterable[Mapping[Any, float]]) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for one in parts:
        for name, value in one.items():
            found[name] = found.get(name, 0.0) + value
    return found


def _behind(waits: Iterable[Sequence[Wait]]) -> list[Behind]:
    """By OSD the seconds that the asked ones wait for it, the worst first."""
    seconds = _summed({wait.osd: wait.seconds} for those in waits for wait in those)
    found = [Behind(*one) for one in seconds.items()]
    return sorted(found, key=lambda one: (-one.seconds, one.osd))


def _blocked(splits: Sequence[Split]) -> list[Blocked]:
    found = [Blocked(*one) for one in _summed(one.blocked for one in splits).items()]
    return sorted(found, key=lambda one: (-one.seconds, one.reason))[:_MOST_REASONS]


def _figures(totals: Mapping[str, Total], others: Mapping[int, Asked]) -> list[Figure]:
    theirs = {}
    for osd, one in sorted(others.items()):
        theirs[osd], _ = totals_of(one.answers.first, one.answers.last, one.answers.seconds)
    found = []
    for counter in COUNTERS:
        ms = mean_ms(totals, counter.name)
        if ms is None:
            continue
        means = [(osd, mean_ms(their, counter.name)) for osd, their in theirs.items()]
        found.append(
            Figure(
                counter.name,
                counter.words,
                ms,
                totals[counter.name].count,
                [Mean(osd, mean) for osd, mean in means if mean is not None],
            )
        )
    return found


def _not_told(target: Answers, clients: _Side, has_peers: bool) -> list[str]:
    """What could not be known, in sentences."""
    found = list(target.problems)
    if target.last and not has_peers:
        found.append("No other OSD of its class is up, so its figures are compared with none.")
    unnamed = sum(one.unnamed for one in clients.splits)
    if unnamed >= _LEAST_UNNAMED:
        found.append(
            "Ceph does not tell which shard of an erasure-coded pool was late: "
            f"{unnamed:.3g} s of waiting for sub-operations have no name."
        )
    if any(len(one.waited_for) > 1 for one in clients.splits):
        found.append(
            "Ceph does not tell which of several replicas answered last: waits are counted for "
            "the OSD that the most of them have in common."
        )
    unknown = sorted({name for one in clients.splits for name in one.unknown})
    if unknown:
        found.append(f"Events that this version does not know: {', '.join(unknown)}.")
    return found


# --- sentences -------------------------------------------------------------------------------


def sentences(found: Breakdown, problem: str) -> list[str]:
    """The conclusion, then what supports it; ``problem`` is why no operations are known."""
    told = (
        _conclusion(found, problem),
        _waited(found),
        _confirmed(found),
        _laggy(found),
        _reasons(found),
        _outstanding(found),
    )
    return [sentence for sentence in told if sentence]


def culprit(found: Breakdown) -> Optional[Wait]:
    """The replica that holds this OSD up; None if none does, or if others wait for this OSD."""
    if holders(found) or found.operations.get(Stage.SUB_OPERATIONS.value, 0.0) < MAIN_SHARE:
        return None
    worst = found.waits_for[0] if found.waits_for else None
    return worst if worst is not None and _counts(worst) else None


def holders(found: Breakdown) -> Sequence[Wait]:
    """The asked OSDs that wait mostly for this one; none if it waits for a worse one itself."""
    worst = found.waits_for[0].osd if found.waits_for else found.osd
    behind = {one.osd: one.seconds for one in found.behind}
    if behind.get(found.osd, 0.0) < behind.get(worst, 0.0):
        return ()
    return [wait for wait in found.waited_for_by if _counts(wait)]


def _counts(wait: Wait) -> bool:
    return wait.share > NAMED_SHARE and wait.operations >= NAMED_OPERATIONS


def _conclusion(found: Breakdown, problem: str) -> str:
    waiting = holders(found)
    if waiting:
        names = osd_names(wait.osd for wait in waiting)
        waits = "waits" if len(waiting) == 1 else "wait"
        return (
            f"osd.{found.osd} is at fault itself: {names} {waits} for it more than for any other "
            "OSD."
        )
    behind = culprit(found)
    if behind is not None:
        return f"The slowest operations of osd.{found.osd} are held up by osd.{behind.osd}."
    main = max(Stage, key=lambda stage: found.operations.get(stage.value, 0.0))
    if found.operations.get(main.value, 0.0) >= MAIN_SHARE:
        return (
            f"osd.{found.osd} spends most of its operations' time {STAGE_WORDS[main]}"
            f"{_parts(found, main)}."
        )
    if found.sampled.operations or found.sub_sampled.operations:
        return f"No stage of osd.{found.osd}'s operations takes a third of their time."
    return problem or (
        f"No operations of osd.{found.osd} are known, neither slow ones nor any in flight."
    )


def _parts(found: Breakdown, stage: Stage) -> str:
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


def _waited(found: Breakdown) -> str:
    """Who waits for the OSD at fault, and how long."""
    waits = [
        f"osd.{wait.osd} waited {_seconds(wait.seconds)} for it ({100 * wait.share:.0f} % of its "
        f"waits, in {plural(wait.operations, 'operation')})"
        for wait in holders(found)
    ]
    return f"{listed(waits)}." if waits else ""


def _confirmed(found: Breakdown) -> str:
    """What the replica at fault says of its own sub-operations."""
    behind = culprit(found)
    figure = next((one for one in found.counters if one.counter == "sub_write"), None)
    if behind is None or figure is None:
        return ""
    means = {one.osd: one.ms for one in figure.others}
    theirs = means.pop(behind.osd, None)
    if theirs is None:
        return ""
    usual = median([figure.ms, *means.values()])
    text = (
        f"osd.{behind.osd} itself takes {_ms(theirs)} for a write as a replica, "
        f"{'others' if means else 'this OSD'} {_ms(usual)}"
    )
    stands_out = theirs >= STANDS_OUT_RATIO * usual and theirs >= STANDS_OUT_MS
    if stands_out or found.counter_seconds is None:
        # since its start it may have been quick for long
        return f"{text}{_since(found)}."
    return (
        f"{text}: it is slow only at times, its process stands still, or the network between the "
        "two is slow."
    )


def _laggy(found: Breakdown) -> str:
    if found.operations.get(Stage.READABLE.value, 0.0) < _LEAST_SHOWN:
        return ""
    return (
        "Placement groups were laggy: a replica did not renew its lease in time; "
        "'ceph perf-bench laggy ls' names it."
    )


def _reasons(found: Breakdown) -> str:
    if found.operations.get(Stage.BLOCKED.value, 0.0) < _LEAST_SHOWN or not found.blocked_by:
        return ""
    reasons = [f"{one.reason} ({_seconds(one.seconds)})" for one in found.blocked_by]
    return f"Operations were blocked: {', '.join(reasons)}."


def _outstanding(found: Breakdown) -> str:
    """The figures that are far above those of its peers, the worst first. Suspects do not count."""
    peers = {peer.osd for peer in found.peers if peer.role == "peer"}
    worst: list[tuple[float, Figure]] = []
    for figure in found.counters:
        usual = [one.ms for one in figure.others if one.osd in peers]
        if figure.counter in _NOT_COMPARED or figure.operations < _FEWEST or not usual:
            continue
        ratio = figure.ms / max(median(usual), 0.001)
        if ratio >= STANDS_OUT_RATIO and figure.ms >= STANDS_OUT_MS:
            worst.append((ratio, figure))
    worst.sort(key=lambda one: (-one[0], one[1].counter))
    named = [
        f"{figure.words} {_ms(figure.ms)}, "
        + (f"x{ratio:.2g}" if ratio < 100 else "more than x100")
        for ratio, figure in worst[:_MOST_FIGURES]
    ]
    return f"Against its peers stand out: {'; '.join(named)}{_since(found)}." if named else ""


def _since(found: Breakdown) -> str:
    """What is added if the counters' figures are not of the time of asking."""
    return " (since its start)" if found.counter_seconds is None else ""


def _ms(value: float) -> str:
    return f"{value:.0f} ms" if value >= 10 else f"{value:.2g} ms"


def _seconds(value: float) -> str:
    """A time in seconds, in ms below one."""
    if value < 1:
        return _ms(1000 * value)
    return f"{value:.1f} s" if value < 100 else f"{value:.0f} s"
