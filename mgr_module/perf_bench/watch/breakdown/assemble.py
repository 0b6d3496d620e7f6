"""Join the answers of an OSD and of those beside it to one breakdown of its latency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Optional

from ...model.breakdown import (
    Answers,
    Breakdown,
    Figure,
    Peer,
    Sampled,
    Stage,
    Total,
    TrackedOperation,
    Wait,
)
from ...model.said import say
from . import counters, sentences
from .stages import Split, split
from .waits import OperationWait, shared_out

PEER, SUSPECT = "peer", "suspect"
_MOST_PROBLEMS = 3
_MOST_REASONS = 5


class Asked(NamedTuple):
    """Another OSD that was asked."""

    osd: int
    host: str
    role: str
    answers: Answers


class _Side(NamedTuple):
    """Operations of one side, of clients or of a replica, and their splits."""

    operations: Sequence[TrackedOperation]
    splits: Sequence[Split]

    @property
    def seconds(self) -> Mapping[Stage, float]:
        found: dict[Stage, float] = {}
        for one in self.splits:
            for stage, seconds in one.seconds.items():
                found[stage] = found.get(stage, 0.0) + seconds
        return found

    @property
    def waits(self) -> Sequence[Wait]:
        return shared_out(OperationWait(one.waited_for, one.waited) for one in self.splits)


def breakdown(
    target: Answers, others: Sequence[Asked], asked_at: float, asks: int, asks_left: int
) -> Breakdown:
    """The breakdown of ``target``'s latency; ``others`` were asked beside it."""
    clients, replica = _sides(target)
    waits = clients.waits
    totals, seconds = _totals(target)
    found = Breakdown(
        osd=target.osd,
        asked_at=asked_at,
        asks=asks,
        asks_left=asks_left,
        operations=_shares(clients.seconds),
        sub_operations=_shares(replica.seconds),
        sampled=_sampled(clients),
        sub_sampled=_sampled(replica),
        commit=_parts(totals, counters.COMMIT_PARTS),
        read=_read_parts(totals),
        waits_for=waits,
        waited_for_by=_waited_for_by(target.osd, others),
        behind=_behind([target, *(one.answers for one in others)]),
        blocked_by=_most(_summed(one.blocked for one in clients.splits), _MOST_REASONS),
        figures=_figures(totals, others),
        counter_seconds=seconds,
        peers=[_peer(one) for one in others],
        sentences=(),
        not_told=_not_told(target, others, clients, totals),
    )
    problem = target.problems[0] if target.problems and not target.operations else ""
    return sentences.told(found, target.window, problem)


def suspect(target: Answers) -> Optional[int]:
    """The OSD that this one waits for most; None if it waits for none."""
    waits = _sides(target)[0].waits
    return waits[0].osd if waits else None


def _sides(answers: Answers) -> tuple[_Side, _Side]:
    sides = []
    for of_clients in (True, False):
        chosen = [
            one
            for one in answers.operations.values()
            if one.is_client is of_clients and (of_clients or one.is_sub_operation)
        ]
        sides.append(_Side(chosen, [split(one) for one in chosen]))
    return sides[0], sides[1]


def _shares(seconds: Mapping[Stage, float]) -> dict[str, float]:
    """Every stage with its share of the time; empty without any time."""
    total = sum(seconds.values())
    return {stage.value: seconds.get(stage, 0.0) / total for stage in Stage} if total > 0 else {}


def _sampled(side: _Side) -> Sampled:
    durations = [one.end - one.events[0].at for one in side.operations]
    in_flight = sum(one.in_flight for one in side.operations)
    return Sampled(len(durations), in_flight, sum(durations), max(durations, default=0.0))


def _summed(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in parts:
        for name, value in one.items():
            found[name] = found.get(name, 0.0) + value
    return found


def _most(values: Mapping[str, float], count: int) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda one: (-one[1], one[0]))[:count])


# --- counters --------------------------------------------------------------------------------


def _totals(answers: Answers) -> tuple[Mapping[str, Total], Optional[float]]:
    """The counters between the first and the newest answer, else since the OSD's start."""
    added = counters.increase(answers.first, answers.last) if answers.seconds > 0 else {}
    if any(total.count for total in added.values()):
        return counters.disjoint(added), answers.seconds
    return counters.disjoint(answers.last), None


def _parts(totals: Mapping[str, Total], names: Sequence[str]) -> dict[str, float]:
    """The shares of these counters in the sum of them; empty without any."""
    seconds = {name: totals[name].seconds for name in names if name in totals}
    total = sum(seconds.values())
    return {name: value / total for name, value in seconds.items()} if total > 0 else {}


def _read_parts(totals: Mapping[str, Total]) -> dict[str, float]:
    """The shares of a read's parts in reads; the rest is ``other``."""
    whole = totals.get(counters.READ)
    if whole is None or whole.seconds <= 0:
        return {}
    shares = {
        name: min(1.0, totals[name].seconds / whole.seconds)
        for name in counters.READ_PARTS
        if name in totals
    }
    return {**shares, "other": max(0.0, 1.0 - sum(shares.values()))}


def _figures(totals: Mapping[str, Total], others: Sequence[Asked]) -> list[Figure]:
    of_others = {one.osd: _totals(one.answers)[0] for one in others}
    found = []
    for counter in counters.COUNTERS:
        ms = counters.mean_ms(totals, counter.name)
        if ms is None:
            continue
        theirs = {osd: counters.mean_ms(their, counter.name) for osd, their in of_others.items()}
        known = {osd: value for osd, value in theirs.items() if value is not None}
        found.append(Figure(counter.name, counter.words, ms, totals[counter.name].count, known))
    return found


# --- the others ------------------------------------------------------------------------------


def _waited_for_by(osd: int, others: Sequence[Asked]) -> list[Wait]:
    """The asked OSDs that wait for ``osd``, with the share of their waits that is its."""
    return [
        Wait(one.osd, wait.seconds, wait.share, wait.operations)
        for one in others
        for wait in _sides(one.answers)[0].waits
        if wait.osd == osd
    ]


def _behind(asked: Sequence[Answers]) -> dict[int, float]:
    """By OSD the seconds that the asked ones wait for it."""
    found: dict[int, float] = {}
    for one in asked:
        for wait in _sides(one)[0].waits:
            found[wait.osd] = found.get(wait.osd, 0.0) + wait.seconds
    return found


def _peer(asked: Asked) -> Peer:
    answers = asked.answers
    problems = list(answers.problems)[:_MOST_PROBLEMS]
    return Peer(asked.osd, asked.host, asked.role, len(answers.operations), problems)


def _not_told(
    target: Answers, others: Sequence[Asked], clients: _Side, totals: Mapping[str, Total]
) -> list[str]:
    """What could not be known, in sentences."""
    found = list(target.problems)[:_MOST_PROBLEMS]
    if target.last and not others:
        found.append(
            say(
                "why-no-others",
                "No other OSD of its class is up, so its figures are compared with none.",
            )
        )
    unnamed = sum(one.unnamed for one in clients.splits)
    if unnamed >= 0.01:
        found.append(
            say(
                "why-no-shard",
                "Ceph does not tell which shard of an erasure-coded pool was late: {seconds:.3g} s "
                "of waiting for sub-operations have no name.",
                seconds=unnamed,
            )
        )
    if any(len(one.waited_for) > 1 for one in clients.splits):
        found.append(
            say(
                "why-not-which",
                "Ceph does not tell which of several replicas answered last: waits are counted for "
                "the OSD that the most of them have in common.",
            )
        )
    missing = [
        one.words for one in counters.COUNTERS if target.last and one.name not in target.last
    ]
    if missing:
        found.append(
            say(
                "why-no-counter",
                "This OSD's release has no counter for: {counters:all}.",
                counters=missing,
            )
        )
    unknown = sorted({name for one in clients.splits for name in one.unknown})
    if unknown:
        found.append(
            say(
                "why-unknown-events",
                "Events that this version does not know: {events:list}.",
                events=unknown,
            )
        )
    if target.last and counters.READ in totals and not totals[counters.READ].count:
        found.append(say("why-no-reads", "It read nothing meanwhile, so reads have no figures."))
    return found
