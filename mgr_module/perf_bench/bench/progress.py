"""Handles the events of a running round: stores samples and shows the progress."""

from __future__ import annotations

from typing import Optional

from ..model.bench import Sample
from ..model.plan import Phase
from ..model.rados import LoadSample, Row
from ..model.round import RoundState
from .active_round import ActiveRound
from .compare.summary import judge_sample
from .context import SAVE_WAIT, RoundContext
from .record.recorder import Recorder


class RoundEvents:
    """Takes the events of the OSD and client runners (``SampleSink``, ``LoadSink``)."""

    def __init__(self, context: RoundContext, active: ActiveRound) -> None:
        self._context = context
        self._active = active
        self._number = active.round.id
        self._recorder = Recorder(context.store_thread, context.clock, self._number)

    def running(self) -> None:
        """Mark the round as running; it does not wait for the store."""
        active, clock = self._active, self._context.clock
        started_at = active.round.started_at or clock.now()
        active.began = clock.monotonic()
        active.change(state=RoundState.RUNNING, started_at=started_at)
        self._context.store_thread.submit(
            lambda store: store.save_round(active.round),  # it may be aborted by then
            self._context.or_say("save that the round runs"),
        )
        self._show_progress()

    # --- OSDs --------------------------------------------------------------------------------

    def rests(self, phase: Phase, seconds: float) -> None:
        """Show that the OSDs rest for ``seconds`` before a phase."""
        self._active.rests(phase, seconds, self._context.clock.monotonic())

    def enters(self, phase: Phase) -> None:
        """Show that a phase begins."""
        self._active.enters(phase, self._context.clock.monotonic())

    def began(self, osd: int) -> None:
        """Mark an OSD as under bench."""
        self._active.bench_began(osd, self._context.clock.monotonic())
        self._context.benched.began(osd, self._context.clock.now())

    def put(self, sample: Sample) -> None:
        """Judge a sample, queue it for the store, and show the progress."""
        self._context.benched.ended(sample.osd, self._context.clock.now())
        self._active.in_flight.pop(sample.osd, None)
        judged = judge_sample(sample)
        self._recorder.put(judged)
        self._active.add_sample(judged)
        self._active.done += 1
        self._show_progress()

    def problem(self) -> Optional[str]:
        """Return why samples cannot be stored; None while they can."""
        return self._recorder.problem()

    def flush(self, limit: float) -> bool:
        """Wait up to ``limit`` seconds until all samples are stored; returns whether they are."""
        return self._recorder.flush(limit)

    # --- clients -----------------------------------------------------------------------------

    def on_phase(self, phase: str) -> None:
        """Show the phase of a client round."""
        self._active.on_phase(phase)
        self._show_progress()

    def on_row(self, client: int, row: Row) -> None:
        """Keep a client's row until its repeat is stored, and show the progress of the repeat."""
        self._active.add_row(client, row)
        self._show_progress()

    def put_load(self, sample: LoadSample) -> None:
        """Store a repeat of clients. Waits for the store: nothing is measured meanwhile."""
        number = self._number
        self._context.store_thread.call(lambda store: store.loads.add(number, sample), SAVE_WAIT)
        self._active.on_phase(self._active.phase)
        self._active.done += 1
        self._show_progress()

    def _show_progress(self) -> None:
        message = f"perf-bench round {self._number} ({self._active.round.profile})"
        self._context.progress.update(self._number, message, self._active.progress())
