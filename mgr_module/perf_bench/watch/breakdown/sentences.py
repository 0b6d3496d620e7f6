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

from ...model.breakdown import STAGE_WORDS, Breakdown, Figure, Sampled, Stage, Wait
from ...model.phrases import listed, osd_names, plural
from ...model.statistics import median
from . import counters

# A replica is named from this share of the waits, and this many operations on.
NAMED_SHARE = 0.5
NAMED_OPERATIONS = 3
# A stage is the reason from this share of the time on.
MAIN_SHARE = 1 / 3
# An OSD's figure stands out from this ratio to the other OSDs' median, and this many ms on.
STANDS_OUT_RATIO = 2.0
STANDS_OUT_MS = 1.0
# Fewer operations have no meaningful mean.
_FEWEST = 10
# A write waits for its replicas, so its latency blames the wrong OSD; deferred writes are collected
# for as long as there is room for them, and nobody waits for that.
_NOT_COMPARED = (
    counters.CLIENT_WRITE,
    counters.DEFERRED_QUEUE,
    counters.DEFERRED_CLEANUP,
    *counters.THROTTLES,
)
_MOST_FIGURES = 3
_MOST_STAGES = 4
_LEAST_SHOWN = 0.01
# The parts of a transaction and of a read, after "50 %".
_PART_WORDS = {**counters.WORDS, "other": "other work"}


def told(found: Breakdown, window: Optional[int], problem: str = "") -> Breakdown:
    """The breakdown with its sentences.

    ``window`` is how far back the operations go in seconds, ``problem`` why none are known.
    """
    name = f"osd.{found.osd}"
    said = [
        _conclusion(found, name, problem),
        _where(found.operations, found.sampled, window, "Operations of clients"),
        _waits(found),
        _laggy(found),
        _confirmed(found),
        _where(found.sub_operations, found.sub_sampled, window, "Sub-operations as a replica"),
        _blocked(found),
        _commit(found),
        _read(found),
        _outstanding(found),
        _throttles(found),
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


def _conclusion(found: Breakdown, name: str, problem: str) -> str:
    waiting = holders(found)
    if waiting:
        names = osd_names(wait.osd for wait in waiting)
        verb = "wait" if len(waiting) > 1 else "waits"
        return f"{name} is at fault itself: {names} {verb} for it more than for any other OSD."
    behind = culprit(found)
    if behind is not None:
        return f"The slowest operations of {name} are held up by osd.{behind.osd}."
    main = _main(found.operations)
    if main is not None:
        return f"{name} spends most of its operations' time {_words(main)}."
    return _nothing(found, name, problem)


def _nothing(found: Breakdown, name: str, problem: str) -> str:
    """The conclusion where there is none."""
    if not found.asks:
        return f"{name} is being asked: ask again in a few seconds."
    if found.sampled.operations or found.sub_sampled.operations:
        return f"No stage of {name}'s operations takes a third of their time."
    return problem or f"No operations of {name} are known, neither slow ones nor any in flight."


def _main(shares: Mapping[str, float]) -> Optional[Stage]:
    worst = max(Stage, key=lambda stage: shares.get(stage.value, 0.0))
    return worst if shares.get(worst.value, 0.0) >= MAIN_SHARE else None


def _words(stage: Stage) -> str:
    return STAGE_WORDS[stage]


def _where(shares: Mapping[str, float], sampled: Sampled, window: Optional[int], noun: str) -> str:
    if not shares:
        return ""
    ended = sampled.operations - sampled.in_flight
    past = f" of the last {plural(round(window / 60), 'minute')}" if window else ""
    parts = [f"the {ended} slowest{past}"] if ended else []
    parts += [f"{sampled.in_flight} in flight"] if sampled.in_flight else []
    top = sorted(Stage, key=lambda stage: -shares[stage.value])[:_MOST_STAGES]
    split = [
        f"{_percent(shares[stage.value])} {_words(stage)}"
        for stage in top
        if shares[stage.value] >= _LEAST_SHOWN
    ]
    took = f"took {_seconds(sampled.seconds)} in all"
    return f"{noun} ({', '.join(parts)}) {took}: {', '.join(split)}."


def _waits(found: Breakdown) -> str:
    if holders(found) or not found.waits_for:
        return ""  # what it waited for passed while it stood still itself
    if found.operations.get(Stage.SUB_OPERATIONS.value, 0.0) < _LEAST_SHOWN:
        return ""
    parts = [
        f"osd.{wait.osd} {_seconds(wait.seconds)} ({_percent(wait.share)}, in "
        f"{plural(wait.operations, 'operation')})"
        for wait in found.waits_for[:_MOST_FIGURES]
    ]
    return f"It waited for sub-operations of {', '.join(parts)}."


def _laggy(found: Breakdown) -> str:
    if found.operations.get(Stage.READABLE.value, 0.0) < _LEAST_SHOWN:
        return ""
    return (
        "Placement groups were laggy: a replica did not renew its lease in time; 'ceph perf-bench "
        "laggy ls' names it."
    )


def _confirmed(found: Breakdown) -> str:
    """What the OSD at fault says of its own sub-operations, or who waits for this one."""
    waiting = holders(found)
    if waiting:
        parts = [
            f"osd.{wait.osd} waited {_seconds(wait.seconds)} for it ({_percent(wait.share)} of its "
            f"waits, in {plural(wait.operations, 'operation')})"
            for wait in waiting
        ]
        return f"{listed(parts)}."
    behind = culprit(found)
    figure = _figure(found, counters.SUB_WRITE)
    if behind is None or figure is None or behind.osd not in figure.peers:
        return ""
    theirs = figure.peers[behind.osd]
    others = [figure.ms, *(ms for osd, ms in figure.peers.items() if osd != behind.osd)]
    usual = median(others)
    text = (
        f"osd.{behind.osd} itself takes {_ms(theirs)} for a write as a replica, "
        f"{'others' if len(others) > 1 else 'this OSD'} {_ms(usual)}"
    )
    stands_out = theirs >= STANDS_OUT_RATIO * usual and theirs >= STANDS_OUT_MS
    if stands_out or found.counter_seconds is None:
        return f"{text}{_since(found)}."  # since its start it may have been quick for long
    return (
        f"{text}: it is slow only at times, its process stands still, or the network between the "
        "two is slow."
    )


def _blocked(found: Breakdown) -> str:
    if found.operations.get(Stage.BLOCKED.value, 0.0) < _LEAST_SHOWN or not found.blocked_by:
        return ""
    parts = [f"{reason} ({_seconds(seconds)})" for reason, seconds in found.blocked_by.items()]
    return f"Operations were blocked: {', '.join(parts[:_MOST_FIGURES])}."


def _commit(found: Breakdown) -> str:
    figure = _figure(found, counters.TRANSACTION)
    if figure is None or not found.commit:
        return ""
    return (
        f"A transaction of its object store takes {_ms(figure.ms)} to commit"
        f"{_against(figure)}: {_parts(found.commit)}{_since(found)}."
    )


def _read(found: Breakdown) -> str:
    figure = _figure(found, counters.READ)
    if figure is None or not found.read:
        return ""
    return (
        f"A read of its object store takes {_ms(figure.ms)}{_against(figure)}: "
        f"{_parts(found.read)}{_since(found)}."
    )


def _outstanding(found: Breakdown) -> str:
    """The figures that are far above those of the other OSDs, the worst first."""
    worst: list[tuple[float, Figure]] = []
    for figure in found.figures:
        ratio = ratio_of(found, figure)
        if figure.name in _NOT_COMPARED or ratio is None or figure.operations < _FEWEST:
            continue
        if ratio >= STANDS_OUT_RATIO and figure.ms >= STANDS_OUT_MS:
            worst.append((ratio, figure))
    worst.sort(key=lambda one: (-one[0], one[1].name))
    if not worst:
        return ""
    parts = [
        f"{figure.words} {_ms(figure.ms)}, {_times(ratio)}"
        for ratio, figure in worst[:_MOST_FIGURES]
    ]
    return f"Against its peers stand out: {'; '.join(parts)}."


def _throttles(found: Breakdown) -> str:
    parts = [
        f"{plural(figure.operations, 'time')} {_ms(figure.ms)} each in a {figure.words}"
        for figure in found.figures
        if figure.name in counters.THROTTLES and figure.ms >= STANDS_OUT_MS
    ]
    return f"It was throttled: {', '.join(parts)}{_since(found)}." if parts else ""


# --- words -----------------------------------------------------------------------------------


def ratio_of(found: Breakdown, figure: Figure) -> Optional[float]:
    """A figure over the median of the peers'; None without one. Suspects do not count."""
    peers = {peer.osd for peer in found.peers if peer.role == "peer"}
    theirs = [ms for osd, ms in figure.peers.items() if osd in peers]
    usual = median(theirs) if theirs else 0.0
    return figure.ms / usual if usual > 0 else None


def _figure(found: Breakdown, name: str) -> Optional[Figure]:
    return next((figure for figure in found.figures if figure.name == name), None)


def _against(figure: Figure) -> str:
    if not figure.peers:
        return ""
    theirs = [f"osd.{osd} {_ms(ms)}" for osd, ms in sorted(figure.peers.items())]
    return f" ({', '.join(theirs)})"


def _parts(shares: Mapping[str, float]) -> str:
    top = sorted(shares.items(), key=lambda one: -one[1])
    shown = [
        f"{_percent(share)} {_PART_WORDS[name]}" for name, share in top if share >= _LEAST_SHOWN
    ]
    return ", ".join(shown)


def _since(found: Breakdown) -> str:
    return " (since its start)" if found.counter_seconds is None else ""


def _times(ratio: float) -> str:
    return f"x{ratio:.2g}" if ratio < 100 else "more than x100"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _ms(value: float) -> str:
    return f"{value:.0f} ms" if value >= 100 else f"{value:.2g} ms"


def _seconds(value: float) -> str:
    if value < 1:
        return _ms(1000 * value)
    return f"{value:.1f} s" if value < 100 else f"{value:.0f} s"
