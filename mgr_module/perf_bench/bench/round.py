"""The life of one round, from its first setting to its stored verdict: a coroutine on the loop.

How it is judged stands below, and is pure.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, replace
from functools import partial
from typing import Callable, NamedTuple, Optional

from ..core.loop import Cancelled, first_of, reply, sleep
from ..errors import CommandFailed, NotFound, PerfBenchError, StoreUnavailable, Unreadable
from ..model.admission import Restored, SettingChange
from ..model.osd import Wal
from ..model.plan import Done, Layout, Sample, profile_named
from ..model.round import (
    ClientLatency,
    Conclusion,
    MeasuredRound,
    OsdResult,
    Round,
    RoundState,
    Verdict,
)
from ..model.statistics import median
from ..store.sqlite import Store
from .client_repeats import ClientRepeats
from .compare.loads import summarize_load
from .compare.summary import GUARD, Summary, summarize, with_alarms
from .comparisons import measured
from .context import LEAVE, LEAVE_WAIT, SAVE_WAIT, SAVING, ActiveRound, Commands, RoundContext
from .osd_benches import OsdBenches, Samples
from .planning import Stored, read_stored

# So long a round waits for monitors that have no quorum, with a try so many seconds after another.
_QUORUM_SECONDS, _RETRY_SECONDS = 120.0, 2.0
# Longest wait for a connection to the OSDs to be closed.
_CLOSE_SECONDS = 5.0
# Seconds between attempts to save a round that has ended.
_SAVE_AGAIN = 5.0


class Ended(NamedTuple):
    """How the measurement ended: DONE, or ABORTED or FAILED with the reason."""

    state: RoundState
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """That of a round that was not completed."""
        return Verdict(self.state.value)


class RoundLife:
    """One round on this mgr."""

    def __init__(self, context: RoundContext, active: ActiveRound) -> None:
        self._context = context
        self._active = active
        self._samples = Samples(context, active.round.id)
        # Those that the guard of a mgr before has raised, which were saved with the round.
        self._before = tuple(one for one in active.round.conclusions if one.code.startswith(GUARD))
        self._alarms = self._before

    async def measure(self, done: Done) -> Ended:
        """Hold what would disturb the round, measure what is not ``done``, put everything back.

        Returns how that ended, also after any error. Raises Cancelled where the round is left to
        the next active mgr.
        """
        context, active, load = self._context, self._active, self._active.round.plan.load
        commands: Optional[Commands] = None
        left: Optional[Cancelled] = None
        ended = Ended(RoundState.DONE)
        try:
            if load is None:
                commands = await self._connect()
            self._run()
            await self._hold()
            if commands is not None:
                await OsdBenches(context, active, commands, self._samples).run(done)
            elif load is not None:
                await ClientRepeats(context, active, load).run()
        except Cancelled as cancelled:
            left = cancelled if cancelled.reason is LEAVE else None
            ended = Ended(RoundState.ABORTED, cancelled.reason)
        except PerfBenchError as error:
            ended = Ended(RoundState.FAILED, error.message)
        except Exception as error:
            context.log.exception("round %d failed", active.round.id)
            ended = Ended(RoundState.FAILED, f"internal error, see the mgr's log: {error!r}")
        active.measuring = False
        if commands is not None:  # librados may take its time, and settings are to be put back
            await first_of((context.workers.submit(commands.close),), _CLOSE_SECONDS)
        await self._release()
        if left is not None:
            await self._samples.saved(LEAVE_WAIT)
            raise left
        return ended

    async def save(self, ended: Ended) -> Optional[Stored]:
        """Judge and save the round; retry until the store accepts it.

        A round that cannot be judged is saved as failed, with its samples: more attempts would
        fail again and prevent all other rounds. Returns what the store has of all rounds then;
        None if this one was removed meanwhile.
        """
        context, round_ = self._context, self._active.round
        self._active.phase = SAVING
        round_ = replace(round_, ended_at=round_.ends_at(context.clock.now()))
        stored: Optional[Stored] = None
        problem = ""
        while True:
            try:
                last = self._give_up(round_, problem) if problem else self._judge(round_, ended)
                stored = await last
                break
            except NotFound:
                context.log.warning("round %d is gone from the database", round_.id)
                break
            except StoreUnavailable as error:
                context.log.warning("round %d cannot be saved yet: %s", round_.id, error)
            except Exception as error:  # any error: the samples are worth another attempt
                problem = _named(error)
                context.log.exception("round %d cannot be judged", round_.id)
            await sleep(_SAVE_AGAIN)
        context.progress.end(round_.id, ended.reason or None)
        return stored

    # --- the steps ---------------------------------------------------------------------------

    async def _connect(self) -> Commands:
        opening = self._context.workers.submit(self._context.open_commands)
        try:
            return await reply(opening)
        except Cancelled:
            opening.add_done_callback(_close)
            raise

    def _run(self) -> None:
        """Mark the round as running."""
        active, clock = self._active, self._context.clock
        active.began = clock.monotonic()
        started_at = active.round.started_at or clock.now()
        active.change(state=RoundState.RUNNING, started_at=started_at)
        self._context.save(active, "save that the round runs")
        self._context.show_progress(active)

    async def _hold(self) -> None:
        """Suspend what would disturb the round, and record it in the round's environment.

        Monitors that do not answer are waited for: they may elect a leader.
        """
        active, context = self._active, self._context
        until = context.clock.monotonic() + _QUORUM_SECONDS
        changes: Optional[Sequence[SettingChange]] = None
        while changes is None:
            try:
                safety = context.round_safety
                changes = await safety.hold(active.round, self._end, self._note_alarms)
            except CommandFailed as error:
                if error.errno != errno.ETIMEDOUT or context.clock.monotonic() >= until:
                    raise
                context.log.warning("round %d waits: %s", active.round.id, error)
                await sleep(_RETRY_SECONDS)
        quiesced = [change.what for change in changes]
        active.change(environment={**active.round.environment, "quiesced": quiesced})

    async def _release(self) -> None:
        """Put settings back, and record that and what clients felt in the environment."""
        safety, round_ = self._context.round_safety, self._active.round
        alarms, restored, clients = await safety.release(round_)
        self._alarms = self._all(alarms)
        noted = {**_settings(restored), **_clients(clients)}
        if noted:
            self._active.change(environment={**self._active.round.environment, **noted})

    def _all(self, alarms: Sequence[Conclusion]) -> tuple[Conclusion, ...]:
        """These alarms and those of mgrs before; each kind once."""
        codes = {alarm.code for alarm in self._before}
        return (*self._before, *(alarm for alarm in alarms if alarm.code not in codes))

    def _note_alarms(self, alarms: Sequence[Conclusion]) -> None:
        """Save the alarms so far: a mgr that takes over would not know what disturbed the round."""
        self._active.change(conclusions=self._all(alarms))
        self._context.save(self._active, "save an alarm")

    def _end(self, reason: str) -> None:
        """End the round for the guard; a mgr that takes over meanwhile does not carry it on."""
        if self._active.ending is None and self._active.abort(reason):
            self._context.log.warning("round %d is %s", self._active.round.id, reason)
            self._active.change(verdict=Verdict.ABORTED, reasons=(reason,))
            self._context.save(self._active, "save the abort")

    async def _judge(self, round_: Round, ended: Ended) -> Stored:
        context, ask = self._context, self._context.store_thread.ask
        if not await self._samples.saved(SAVE_WAIT):
            # Raises NotFound if the round was removed, which is then the reason.
            await reply(ask(lambda store: store.round(round_.id)))
            raise StoreUnavailable(self._samples.problem or "samples are not saved yet")
        found = await reply(ask(partial(_whole, number=round_.id)))
        wals = context.cluster.wals
        state, summary = await reply(
            context.workers.submit(lambda: judge(round_, found, ended, wals))
        )
        summary = with_alarms(summary, self._alarms)
        last = replace(
            round_,
            state=state,
            verdict=summary.verdict,
            reasons=summary.reasons,
            conclusions=summary.conclusions,
            summary=summary.figures,
        )
        wrote = written(round_, found.samples, ended)
        stored = await reply(ask(partial(_stored, last, summary.results, wrote)))
        context.log.info("round %d ended: %s", round_.id, state.value)
        return stored

    async def _give_up(self, round_: Round, problem: str) -> Stored:
        """Save a round that cannot be judged as failed."""
        reason = (
            f"what it measured cannot be judged ({problem}); its samples are kept: "
            f"'ceph perf-bench round export {round_.id} --raw' prints them"
        )
        last = replace(round_, state=RoundState.FAILED, verdict=Verdict.FAILED, reasons=(reason,))
        return await reply(self._context.store_thread.ask(partial(_stored, last, (), None)))


def _stored(
    last: Round, results: Sequence[OsdResult], wrote: Optional[Mapping[int, int]], store: Store
) -> Stored:
    """Store the end of a round; returns what the store has of all rounds then."""
    store.end_round(last, results, wrote)
    return read_stored(store)


def _close(opening: Future[Commands]) -> None:
    """Close a connection that was opened too late."""
    if opening.exception() is None:
        opening.result().close()


def _clients(clients: ClientLatency) -> dict[str, object]:
    """What clients felt of the round, where that is known."""
    known = [point.ms for point in clients.points if point.ms is not None]
    if clients.before_ms is None or not known:
        return {}
    usual, most = round(median(known), 3), max(known)
    return {
        "client_latency": {"before_ms": clients.before_ms, "median_ms": usual, "highest_ms": most}
    }


def _settings(settings: Restored) -> dict[str, object]:
    """Which settings were put back."""
    if not (settings.put_back or settings.left or settings.waiting):
        return {}
    return {
        "settings": {
            "put_back": [{"what": change.what, "now": change.was} for change in settings.put_back],
            "left": [asdict(left) for left in settings.left],
            "waiting": [waiting.change.what for waiting in settings.waiting],
        }
    }


def _named(error: Exception) -> str:
    """Return the error's text, with the type if it is not one of ours; at most 300 characters."""
    text = str(error) if isinstance(error, PerfBenchError) else f"{type(error).__name__}: {error}"
    return text[:300]


def judge(
    round_: Round,
    found: MeasuredRound,
    ended: Ended,
    wals: Callable[[Sequence[int]], Mapping[int, Wal]],
) -> tuple[RoundState, Summary]:
    """Return the state that a round ends in, and its summary; ``wals`` says where WALs are.

    A round that ran to its end without any valid figure is FAILED.
    """
    plan, load, profile = round_.plan, round_.plan.load, profile_named(round_.profile)
    most = profile.max_cv_percent
    cut_short = None if ended.state is RoundState.DONE else (ended.verdict, ended.reason)
    if load is not None:
        summary = summarize_load(plan, load, found.loads, most, cut_short)
    else:
        logs = wals(plan.osds) if profile.layout is Layout.WAL else None
        summary = summarize(plan, found.results, found.samples, most, logs, cut_short)
    if cut_short is not None:
        return ended.state, summary
    has_figures = summary.figures["osds_measured" if load is None else "repeats"]
    return RoundState.DONE if has_figures else RoundState.FAILED, summary


def written(round_: Round, samples: Sequence[Sample], ended: Ended) -> Optional[dict[int, int]]:
    """Return the written bytes by OSD, including benches that may have run without an answer.

    None for rounds of clients, whose booking stays.
    """
    plan = round_.plan
    if plan.load is not None:
        return None
    steps = {phase.name: phase.step for phase in plan.phases}
    found = dict(plan.bytes_by_osd(0))
    for sample in samples:
        found[sample.osd] += steps[sample.phase].bytes_written
    if ended.state is not RoundState.DONE:
        in_flight = max((step.bytes_written for step in steps.values()), default=0)
        most = plan.bytes_by_osd(plan.most)
        found = {osd: min(size + in_flight, most[osd]) for osd, size in found.items()}
    return found


def _whole(store: Store, number: int) -> MeasuredRound:
    """Read what a round measured. Raises Unreadable if a row is: it would be incomplete."""
    whole = measured(store, number)
    found = [
        row
        for row in store.unreadable.rows()
        if row.table in ("results", "samples", "loads") and row.key[0] == number
    ]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise Unreadable(f"{found[0]} cannot be read: {found[0].why}{more}")
    return whole
