"""Judges a round: its state, its verdict, and what it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..errors import Unreadable
from ..model.bench import Done, Sample
from ..model.profile import Layout, profile_named
from ..model.rados import LoadPlan, LoadSample
from ..model.round import OsdResult, Round, RoundState, Verdict
from ..ports import Cluster
from ..store.sqlite import Store, StoreThread
from .compare.loads import part_of_load, summarize_load
from .compare.stopping_rule import with_precision, with_repeats
from .compare.summary import Summary, summarize, summarize_part, with_wal
from .context import SAVE_WAIT
from .run.osd_runner import End, Outcome

Judgement = tuple[RoundState, Summary]


class Judge:
    """Judges rounds from stored samples; its methods raise what the store raises."""

    def __init__(self, store_thread: StoreThread, cluster: Cluster) -> None:
        self._store_thread = store_thread
        self._cluster = cluster

    def judge(self, round_: Round, outcome: Outcome) -> Judgement:
        """Return the state that a round ends in, and its summary."""
        load = round_.plan.load
        if load is None:
            return self._judge_osds(round_, outcome)

        def read(store: Store) -> list[LoadSample]:
            found = store.loads.of(round_.id)
            _all_readable(store, round_.id)
            return found

        return _judge_load(round_, load, self._store_thread.call(read, SAVE_WAIT), outcome)

    def written(self, round_: Round, outcome: Outcome) -> Optional[dict[int, int]]:
        """Return the written bytes by OSD; None for client rounds, whose booking stays."""
        if round_.plan.load is not None:
            return None
        done = self._store_thread.call(lambda store: store.sampled(round_.id), SAVE_WAIT)
        return _written(round_, done, outcome)

    def _judge_osds(self, round_: Round, outcome: Outcome) -> Judgement:
        def read(store: Store) -> tuple[list[OsdResult], list[Sample]]:
            found = store.results(round_.id)[0], store.samples(round_.id)
            _all_readable(store, round_.id)
            return found

        rows, samples = self._store_thread.call(read, SAVE_WAIT)
        if outcome.end is not End.COMPLETE:
            state, verdict = _unfinished(outcome)
            part = summarize_part(round_.plan, rows, samples, verdict, outcome.reason)
            return state, with_repeats(part, samples)
        profile = profile_named(round_.profile)
        summary = summarize(round_.plan, rows, samples, profile.max_cv_percent)
        summary = with_repeats(with_precision(summary, round_.plan, samples), samples)
        if profile.layout is Layout.WAL:
            wals = self._cluster.wals(round_.plan.osds)
            summary = with_wal(summary, round_.plan, samples, wals)
        return _state(summary, "osds_measured"), summary


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
    round_: Round, load: LoadPlan, samples: Sequence[LoadSample], outcome: Outcome
) -> Judgement:
    """Return state and summary of a client round: equal repeats, or a saturation search."""
    if outcome.end is not End.COMPLETE:
        state, verdict = _unfinished(outcome)
        return state, part_of_load(load, samples, verdict, outcome.reason)
    most = profile_named(round_.profile).max_cv_percent
    summary = summarize_load(round_.plan, load, samples, most)
    return _state(summary, "repeats"), summary


def _state(summary: Summary, measured: str) -> RoundState:
    """Return the state of a completed round: FAILED if it has no valid figure."""
    return RoundState.DONE if summary.figures[measured] else RoundState.FAILED


def _unfinished(outcome: Outcome) -> tuple[RoundState, Verdict]:
    """Return state and verdict of a round that was not completed."""
    if outcome.end is End.ABORTED:
        return RoundState.ABORTED, Verdict.ABORTED
    return RoundState.FAILED, Verdict.FAILED


def _written(round_: Round, done: Done, outcome: Outcome) -> dict[int, int]:
    """Return the written bytes by OSD, including benches that may have run without an answer."""
    plan = round_.plan
    steps = {phase.name: phase.step for phase in plan.phases}
    written = dict(plan.bytes_by_osd(0))
    for phase, _, osd in done.samples:
        written[osd] += steps[phase].bytes_written
    if outcome.end is not End.COMPLETE:
        in_flight = max((step.bytes_written for step in steps.values()), default=0)
        most = plan.bytes_by_osd(plan.most)
        written = {osd: min(size + in_flight, most[osd]) for osd, size in written.items()}
    return written
