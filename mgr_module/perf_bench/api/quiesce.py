"""Questions about settings that rounds change."""

from __future__ import annotations

from typing import Optional

from ..bench.safety import RoundSafety
from ..errors import PerfBenchError
from ..model.json_fields import Json
from ..report import quiesce
from ..store.sqlite import StoreThread


class QuiesceApi:
    """``ceph perf-bench quiesce …``."""

    def __init__(self, round_safety: RoundSafety, store_thread: StoreThread) -> None:
        self._round_safety = round_safety
        self._store_thread = store_thread

    def state(self) -> Optional[str]:
        """The state in one word; None while the journal cannot be read."""
        return self._round_safety.state() or None

    def status(self) -> Json:
        """The settings changed now. Raises CommandFailed if the journal cannot be read."""
        status = self._round_safety.status()
        return quiesce.quiesce(status, self._round_of(status.holder) if status.holder else None)

    def restore(self) -> Json:
        """Restore all settings; returns the state afterwards and the outcome of each."""
        done = self._round_safety.restore()
        return {**self.status(), **quiesce.restored(done)}

    def _round_of(self, token: str) -> Optional[int]:
        try:
            return self._store_thread.call(lambda store: store.round_of_token(token))
        except PerfBenchError:  # the database may be away, the settings are what matters
            return None
