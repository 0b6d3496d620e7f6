"""Say in sentences where an OSD's operations spend their time, and whose fault it is.

The first sentence is the conclusion. A replica is named only where it is behind at least half of
the waits, in three operations or more, and waiting for sub-operations is a third of the time.

An OSD that stands still sees answers late that came in time, so it seems to wait for its replicas
as they wait for it. Of two that wait for each other, the one for which all asked OSDs wait longer
is at fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...model.breakdown import STAGE_WORDS, Breakdown, Sampled, Stage, Wait
from ...model.said import Said, say
from ...model.statistics import median
from . import counters, figures
from .figures import STANDS_OUT_MS, STANDS_OUT_RATIO, figure_of
from .wording import LEAST_SHOWN, from_ms, from_seconds, past, since, stages

# A replica is named from this share of the waits, and this many operations on.
NAMED_SHARE = 0.5
NAMED_OPERATIONS = 3
# A stage is the reason from this share of the time on.
MAIN_SHARE = 1 / 3
# As many replicas and reasons are named at most.
_MOST_NAMED = 3


def told(found: Breakdown, window: Optional[int], problem: str = "") -> Breakdown:
    """The breakdown with its sentences.

    ``window`` is how far back the operations go in seconds, ``problem`` why none are known.
    """
    said = [
        _conclusion(found, problem),
        _of_clients(found, window),
        _waits(found),
        _laggy(found),
        _confirmed(found),
        _as_replica(found, window),
        _blocked(found),
        figures.commit(found),
        figures.read(found),
        figures.outstanding(found),
        figures.throttles(found),
    ]
    return replace(found, sentences=[sentence for sentence in said if sentence])


def culprit(found: Breakdown) -> Optional[Wait]:
    """The replica that holds this OSD up; None if none does, or if others wait for this OSD."""
    if holders(found) or found.operations.get(Stage.SUB_OPERATIONS.value, 0.0) < MAIN_SHARE:
        return None
    worst = found.waits_for[0] if found.waits_for else None
    return worst if worst is not None and _counts(worst) else None


def holders(found: Breakdown) -> Sequence[Wait]:
    """The asked OSDs that wait mostly for this one; none if it waits for a worse one itself."""
    worst = found.waits_for[0].osd if found.waits_for else found.osd
    if found.behind.get(found.osd, 0.0) < found.behind.get(worst, 0.0):
        return ()
    return [wait for wait in found.waited_for_by if _counts(wait)]


def _counts(wait: Wait) -> bool:
    return wait.share > NAMED_SHARE and wait.operations >= NAMED_OPERATIONS


def _conclusion(found: Breakdown, problem: str) -> str:
    waiting = holders(found)
    if waiting:
        return say(
            "why-itself",
            "osd.{osd} is at fault itself: {waiting:osds} {waiting#waits|wait} for it more than "
            "for any other OSD.",
            osd=found.osd,
            waiting=[wait.osd for wait in waiting],
        )
    behind = culprit(found)
    if behind is not None:
        return say(
            "why-held-up",
            "The slowest operations of osd.{osd} are held up by osd.{behind}.",
            osd=found.osd,
            behind=behind.osd,
        )
    main = _main(found.operations)
    if main is not None:
        return say(
            "why-mostly",
            "osd.{osd} spends most of its operations' time {stage}.",
            osd=found.osd,
            stage=STAGE_WORDS[main],
        )
    return _nothing(found, problem)


def _nothing(found: Breakdown, problem: str) -> str:
    """The conclusion where there is none."""
    if not found.asks:
        return say(
            "why-asking", "osd.{osd} is being asked: ask again in a few seconds.", osd=found.osd
        )
    if found.sampled.operations or found.sub_sampled.operations:
        return say(
            "why-no-stage",
            "No stage of osd.{osd}'s operations takes a third of their time.",
            osd=found.osd,
        )
    return problem or say(
        "why-no-operations",
        "No operations of osd.{osd} are known, neither slow ones nor any in flight.",
        osd=found.osd,
    )


def _main(shares: Mapping[str, float]) -> Optional[Stage]:
    worst = max(Stage, key=lambda stage: shares.get(stage.value, 0.0))
    return worst if shares.get(worst.value, 0.0) >= MAIN_SHARE else None


def _of_clients(found: Breakdown, window: Optional[int]) -> str:
    if not found.operations:
        return ""
    return say(
        "why-clients",
        "Operations of clients ({which:all}) took {time} in all: {split:all}.",
        which=_which(found.sampled, window),
        time=from_seconds(found.sampled.seconds),
        split=stages(found.operations),
    )


def _as_replica(found: Breakdown, window: Optional[int]) -> str:
    if not found.sub_operations:
        return ""
    return say(
        "why-replica",
        "Sub-operations as a replica ({which:all}) took {time} in all: {split:all}.",
        which=_which(found.sub_sampled, window),
        time=from_seconds(found.sub_sampled.seconds),
        split=stages(found.sub_operations),
    )


def _which(sampled: Sampled, window: Optional[int]) -> list[Said]:
    ended = sampled.operations - sampled.in_flight
    slowest = say("why-slowest", "the {count} slowest{past}", count=ended, past=past(window))
    others = say("why-in-flight", "{count} in flight", count=sampled.in_flight)
    return [*([slowest] if ended else []), *([others] if sampled.in_flight else [])]


def _waits(found: Breakdown) -> str:
    if holders(found) or not found.waits_for:
        return ""  # what it waited for passed while it stood still itself
    if found.operations.get(Stage.SUB_OPERATIONS.value, 0.0) < LEAST_SHOWN:
        return ""
    waits = [
        say(
            "why-wait",
            "osd.{osd} {time} ({percent:.0f} %, in {operations|operation|operations})",
            osd=wait.osd,
            time=from_seconds(wait.seconds),
            percent=100 * wait.share,
            operations=wait.operations,
        )
        for wait in found.waits_for[:_MOST_NAMED]
    ]
    return say("why-waits", "It waited for sub-operations of {waits:all}.", waits=waits)


def _laggy(found: Breakdown) -> str:
    if found.operations.get(Stage.READABLE.value, 0.0) < LEAST_SHOWN:
        return ""
    return say(
        "why-laggy",
        "Placement groups were laggy: a replica did not renew its lease in time; '{command}' names "
        "it.",
        command="ceph perf-bench laggy ls",
    )


def _confirmed(found: Breakdown) -> str:
    """What the OSD at fault says of its own sub-operations, or who waits for this one."""
    waiting = holders(found)
    if waiting:
        waits = [
            say(
                "why-waited",
                "osd.{osd} waited {time} for it ({percent:.0f} % of its waits, in "
                "{operations|operation|operations})",
                osd=wait.osd,
                time=from_seconds(wait.seconds),
                percent=100 * wait.share,
                operations=wait.operations,
            )
            for wait in waiting
        ]
        return say("why-waited-all", "{waits:list}.", waits=waits)
    behind = culprit(found)
    figure = figure_of(found, counters.SUB_WRITE)
    if behind is None or figure is None or behind.osd not in figure.peers:
        return ""
    theirs = figure.peers[behind.osd]
    others = [figure.ms, *(ms for osd, ms in figure.peers.items() if osd != behind.osd)]
    usual = median(others)
    text = say(
        "why-confirmed",
        "osd.{osd} itself takes {own} for a write as a replica, {others#this OSD|others} {usual}",
        osd=behind.osd,
        own=from_ms(theirs),
        others=len(others),
        usual=from_ms(usual),
    )
    stands_out = theirs >= STANDS_OUT_RATIO * usual and theirs >= STANDS_OUT_MS
    if stands_out or found.counter_seconds is None:
        # since its start it may have been quick for long
        return say("why-confirmed-so", "{text}{since}.", text=text, since=since(found))
    return say(
        "why-not-confirmed",
        "{text}: it is slow only at times, its process stands still, or the network between the "
        "two is slow.",
        text=text,
    )


def _blocked(found: Breakdown) -> str:
    if found.operations.get(Stage.BLOCKED.value, 0.0) < LEAST_SHOWN or not found.blocked_by:
        return ""
    reasons = [
        say("why-blocked-by", "{reason} ({time})", reason=reason, time=from_seconds(seconds))
        for reason, seconds in found.blocked_by.items()
    ]
    return say("why-blocked", "Operations were blocked: {reasons:list}.", reasons=reasons)
