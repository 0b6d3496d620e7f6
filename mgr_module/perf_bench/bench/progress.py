"""What is noted while a round runs: samples into the store, progress for people."""

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
    """Where the runners of OSDs and of clients say what happens (``SampleSink``, ``LoadSink``)."""

    def __init__(self, context: RoundContext, active: ActiveRound) -> None:
        self._context = context
        self._active = active
        self._number = active.round.id
        self._recorder = Recorder(context.store_thread, context.clock, self._number)

    def running(self) -> None:
        """From here on the round counts as begun; a store that is away delays only the note."""
        active, clock = self._active, self._context.clock
        started_at = active.round.started_at or clock.now()
        active.began = clock.monotonic()
        running = active.change(state=RoundState.RUNNING, started_at=started_at)
        self._context.store_thread.submit(
            lambda store: store.save_round(running),
            self._context.or_say("save that the round runs"),
        )
        self._show_progress()

    # --- OSDs --------------------------------------------------------------------------------

    def rests(self, phase: Phase, seconds: float) -> None:
        """Show that the OSDs rest before a phase."""
        self._active.rests(phase, seconds, self._context.clock.monotonic())

    def enters(self, phase: Phase) -> None:
        """Show which phase begins."""
        self._active.enters(phase, self._context.clock.monotonic())

    def began(self, osd: int) -> None:
        """Take note that an OSD is being measured."""
        self._context.benched.began(osd, self._context.clock.now())

    def put(self, sample: Sample) -> None:
        """Judge a sample, keep it, show the progress."""
        self._context.benched.ended(sample.osd, self._context.clock.now())
        self._recorder.put(judge_sample(sample))
        self._active.done += 1
        self._show_progress()

    def problem(self) -> Optional[str]:
        """Why samples cannot be kept; None while they can."""
        return self._recorder.problem()

    def flush(self, limit: float) -> bool:
        """Wait up to ``limit`` seconds until every sample is in the store; True if it is."""
        return self._recorder.flush(limit)

    # --- clients -----------------------------------------------------------------------------

    def on_phase(self, phase: str) -> None:
        """Show what is being done."""
        self._active.on_phase(phase)
        self._show_progress()

    def on_row(self, client: int, row: Row) -> None:
        """Keep a second of a client until its repeat is stored; show how much of that is over."""
        self._active.hears(client, row)
        self._show_progress()

    def put_load(self, sample: LoadSample) -> None:
        """Keep a repeat of clients; waits for the store, as nothing is measured meanwhile."""
        number = self._number
        self._context.store_thread.call(lambda store: store.loads.add(number, sample), SAVE_WAIT)
        self._active.on_phase(self._active.phase)
        self._active.done += 1
        self._show_progress()

    def _show_progress(self) -> None:
        message = f"perf-bench round {self._number} ({self._active.round.profile})"
        self._context.progress.update(self._number, message, self._active.progress())
