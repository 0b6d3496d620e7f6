"""The helper process of a round, which puts its settings back if this mgr no longer can."""

from __future__ import annotations

import logging
import threading
from typing import Callable, Optional

from ..ports import RestoreHelper


class RoundHelper:
    """Keeps the helper of one round at a time. Thread-safe."""

    def __init__(self, start: Callable[[str, float], RestoreHelper], log: logging.Logger) -> None:
        """``start`` starts one for a round's token that acts after so many seconds at the latest.

        It raises OSError.
        """
        self._start = start
        self._log = log
        self._lock = threading.Lock()
        self._helper: Optional[RestoreHelper] = None
        self._holder = ""

    @property
    def holder(self) -> str:
        """The token of the round that the helper was started for; empty without one."""
        return self._holder

    def start(self, holder: str, seconds: float) -> None:
        """Start one for this round, unless it has one.

        That of an earlier round ends, because its time may be up during this one. Raises nothing.
        """
        with self._lock:
            before = self._helper
            if before is not None and self._holder == holder:
                return
            try:
                self._helper = self._start(holder, seconds)
            except OSError as error:
                self._log.warning(
                    "nobody puts settings back if the module is disabled during this round: %s",
                    error,
                )
                return
            self._holder = holder
        if before is not None:
            before.dismiss()

    def dismiss(self, holder: str) -> None:
        """End the helper of this round; not that of a round that has begun since."""
        with self._lock:
            if self._helper is None or self._holder != holder:
                return
            helper, self._helper, self._holder = self._helper, None, ""
        helper.dismiss()
