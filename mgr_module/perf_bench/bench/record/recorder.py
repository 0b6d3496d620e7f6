"""Store samples as they come, without delaying the next wave."""

from __future__ import annotations

import threading
from typing import Optional

from ...errors import PerfBenchError
from ...model import unmeasured
from ...model.bench import Sample
from ...ports import Clock
from ...store.sqlite import Store, StoreThread

# Seconds without a successful write after which the store counts as failed; a write normally takes
# 20 to 60 ms.
SAVE_LIMIT = 60.0


class Recorder:
    """Passes each sample to the store at once; samples that come during a write are batched.

    A commit to SQLite in RADOS takes 20 to 40 ms, and more while OSDs run a bench. So writing
    overlaps the next bench, and ``problem`` tells the runner about failures. Samples that could not
    be written are kept and retried by ``flush``.
    """

    def __init__(self, store_thread: StoreThread, clock: Clock, round_id: int) -> None:
        self._store_thread = store_thread
        self._clock = clock
        self._round_id = round_id
        self._lock = threading.Condition()
        self._pending: list[Sample] = []
        self._writing = False
        self._writing_since = 0.0
        self._problem: Optional[str] = None

    def put(self, sample: Sample) -> None:
        """Queue a sample; returns at once."""
        with self._lock:
            self._pending.append(sample)
        self._write()

    def problem(self) -> Optional[str]:
        """Why samples cannot be stored; None if they can."""
        with self._lock:
            waited = self._clock.monotonic() - self._writing_since
            if self._writing and waited > SAVE_LIMIT:
                return f"samples could not be saved for {waited:.0f} s: the store does not answer"
            return self._problem

    def flush(self, limit: float) -> bool:
        """Wait up to ``limit`` seconds until everything is in the store; True if it is."""
        with self._lock:
            self._problem = None
        self._write()
        with self._lock:
            self._lock.wait_for(lambda: self._settled, timeout=limit)
            return not self._pending and not self._writing

    @property
    def _settled(self) -> bool:
        """Whether no write runs, nor is about to: one begins a moment after the one before."""
        return not self._writing and (not self._pending or self._problem is not None)

    def _write(self) -> None:
        with self._lock:
            if self._writing or not self._pending or self._problem:
                return
            self._writing = True
            self._writing_since = self._clock.monotonic()
        taken: list[Sample] = []

        def order(store: Store) -> None:
            with self._lock:
                taken.extend(self._pending)
                self._pending.clear()
            try:
                store.add_samples(self._round_id, taken)
            except PerfBenchError:
                raise
            except Exception:  # noqa: BLE001 - one of them is the fault; all others are kept
                for sample in taken:
                    self._put_alone(store, sample)

        self._store_thread.submit(order, lambda error: self._written(taken, error))

    def _put_alone(self, store: Store, sample: Sample) -> None:
        """Store a sample; one that the database cannot hold without its figures."""
        try:
            store.add_samples(self._round_id, [sample])
        except PerfBenchError:
            raise
        except Exception as error:  # noqa: BLE001 - figures of any kind of nonsense
            why = unmeasured.not_storable(sample.osd, str(error))
            bare = Sample(
                sample.osd,
                sample.phase,
                sample.repeat,
                sample.wave,
                sample.started_at,
                sample.call_seconds,
                block_size=0,
                valid=False,
                why=why,
            )
            store.add_samples(self._round_id, [bare])

    def _written(self, taken: list[Sample], error: Optional[Exception]) -> None:
        with self._lock:
            self._writing = False
            if error is not None:
                self._pending[:0] = taken
                self._problem = f"samples could not be saved: {error}"
            self._lock.notify_all()
        self._write()
