"""Judges a round: its state, its verdict, and what it wrote. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Callable, NamedTuple, Optional

from ..errors import Unreadable
from ..model.bench import Done, Sample
from ..model.profile import Layout, profile_named
from ..model.rados import LoadPlan, LoadSample
from ..model.round import OsdResult, Round, RoundState, Verdict
from ..model.wal import Wal
from ..store.sqlite import Store
from .compare.loads import part_of_load, summarize_load
from .compare.stopping_rule import with_precision, with_repeats
from .compare.summary import Summary, summarize, summarize_part, with_wal


class Ended(NamedTuple):
    """How the measurement ended: DONE, or ABORTED or FAILED with the reason."""

    state: RoundState
    reason: str = ""


class Measured(NamedTuple):
    """What is stored of a round: OSDs with their samples, or the repeats of clients."""

    osds: Sequence[OsdResult]
    samples: Sequence[Sample]
    loads: Sequence[LoadSample]
    done: Done


def measured(store: Store, round_: Round) -> Measured:
    """Read what a round measured. Raises Unreadable if a row of it is."""
    number = round_.id
    if round_.plan.load is not None:
        found = Measured((), (), store.loads.of(number), Done())
    else:
        osds, samples = store.results(number)[0], store.samples(number)
        found = Measured(osds, samples, (), store.sampled(number))
    _all_readable(store, number)
    return found


def judge(
    round_: Round,
    found: Measured,
    ended: Ended,
    wals: Callable[[Sequence[int]], Mapping[int, Wal]],
) -> tuple[RoundState, Summary]:
    """Return the state that a round ends in, and its summary; ``wals`` says where WALs are."""
    plan = round_.plan
    if plan.load is not None:
        return _judge_load(round_, plan.load, found.loads, ended)
    if ended.state is not RoundState.DONE:
        part = summarize_part(plan, found.osds, found.samples, _verdict(ended), ended.reason)
        return ended.state, with_repeats(part, found.samples)
    profile = profile_named(round_.profile)
    summary = summarize(plan, found.osds, found.samples, profile.max_cv_percent)
    summary = with_repeats(with_precision(summary, plan, found.samples), found.samples)
    if profile.layout is Layout.WAL:
        summary = with_wal(summary, plan, found.samples, wals(plan.osds))
    return _state(summary, "osds_measured"), summary


def written(round_: Round, done: Done, ended: Ended) -> Optional[dict[int, int]]:
    """Return the written bytes by OSD, including benches that may have run without an answer.

    None for rounds of clients, whose booking stays.
    """
    plan = round_.plan
    if plan.load is not None:
        return None
    steps = {phase.name: phase.step for phase in plan.phases}
    found = dict(plan.bytes_by_osd(0))
    for phase, _, osd in done.samples:
        found[osd] += steps[phase].bytes_written
    if ended.state is not RoundState.DONE:
        in_flight = max((step.bytes_written for step in steps.values()), default=0)
        most = plan.bytes_by_osd(plan.most)
        found = {osd: min(size + in_flight, most[osd]) for osd, size in found.items()}
    return found


def _all_readable(store: Store, number: int) -> None:
    """Raise Unreadable if a row of the round is unreadable: the result would be incomplete."""
    found = [
        row
        for row in store.unreadable()
        if row.table in ("results", "samples", "loads") and row.key[0] == number
    ]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise Unreadable(f"{found[0]} cannot be read: {found[0].why}{more}")


def _judge_load(
    round_: Round, load: LoadPlan, samples: Sequence[LoadSample], ended: Ended
) -> tuple[RoundState, Summary]:
    """Return state and summary of a client round: equal repeats, or a saturation search."""
    if ended.state is not RoundState.DONE:
        return ended.state, part_of_load(load, samples, _verdict(ended), ended.reason)
    most = profile_named(round_.profile).max_cv_percent
    summary = summarize_load(round_.plan, load, samples, most)
    return _state(summary, "repeats"), summary


def _state(summary: Summary, measured: str) -> RoundState:
    """Return the state of a completed round: FAILED if it has no valid figure."""
    return RoundState.DONE if summary.figures[measured] else RoundState.FAILED


def _verdict(ended: Ended) -> Verdict:
    """Return the verdict of a round that was not completed."""
    return Verdict.ABORTED if ended.state is RoundState.ABORTED else Verdict.FAILED
