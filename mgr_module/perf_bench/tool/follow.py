"""Poll a round until it ends; survives a failover of the mgr."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from typing import Any, Optional

from ..errors import CommandFailed, NotNow
from ..model.json_fields import Json
from ..model.round import RoundState
from .client import CephClient
from .display import Display, progress_text

# Seconds. A mgr that takes over needs up to a minute, so more frequent polling gains nothing.
_LONGEST_PAUSE = 15.0


@dataclass(frozen=True)
class Pace:
    """Polling interval and limits, all in seconds; without ``timeout`` there is no limit.

    Without any answer within ``first_answer_limit`` there is no perf_bench in the cluster: the
    wait ends with an error.
    """

    interval: float = 2.0
    timeout: Optional[float] = None
    first_answer_limit: float = 120.0


class TimedOut(Exception):
    """The round has not ended in time; ``str()`` is the sentence shown."""


class Follower:
    """Polls one round; use one object for each round."""

    def __init__(
        self,
        client: CephClient,
        round_id: int,
        display: Display,
        pace: Pace,
    ) -> None:
        self._client = client
        self._id = round_id
        self._display = display
        self._pace = pace
        self._began = time.monotonic()
        self._answered = False
        self._failures = 0
        self._last = ""

    def until_ended(self) -> Json:
        """Wait for the end; returns the JSON object of ``round show``.

        Raises CommandFailed (no such round, no access, no perf_bench at all) or TimedOut.
        """
        try:
            while True:
                pause = self._pace.interval
                try:
                    ended = self._poll()
                    self._answered, self._failures = True, 0
                    if ended is not None:
                        return ended
                except NotNow as error:
                    pause = self._note_failure(str(error))
                self._pause(pause)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the round in the cluster goes on") from None

    def _poll(self) -> Optional[Json]:
        """The round if it has ended; else shows its progress and returns None.

        A run of the client takes 0.5 s of CPU: ``round show`` runs only if ``status`` does not
        name the round.
        """
        active = self._ask("status")["active_round"]
        if active is not None and active["id"] == self._id:
            self._show(
                active["profile"], active["phase"], active["progress"], active["eta_seconds"]
            )
            return None
        shown: Json = self._ask("round", "show", str(self._id), "--limit", "1")
        if RoundState(shown["state"]).ended:
            return shown
        self._show(shown["profile"], shown["state"])
        return None

    def _ask(self, *words: str) -> Any:
        return self._client.ask("perf-bench", *words, limit=self._left())

    def _show(
        self,
        profile: str,
        phase: str,
        fraction: Optional[float] = None,
        eta: Optional[float] = None,
    ) -> None:
        self._last = progress_text(f"round {self._id} {profile}", phase, fraction, eta)
        tenth = None if fraction is None else int(10 * fraction + 1e-9)
        self._display.show(self._last, (phase, tenth))

    def _note_failure(self, sentence: str) -> float:
        """Report the first of several failed polls; returns the next pause in seconds."""
        self._left()  # raises TimedOut: a call that our own time-out cut short is no failure
        waited = time.monotonic() - self._began
        may_wait = self._answered or self._pace.timeout is not None
        if not may_wait and waited >= self._pace.first_answer_limit:
            why = f"perf_bench gave no answer in {waited:.0f} s: {sentence}"
            raise CommandFailed(errno.ETIMEDOUT, why)
        if not self._failures:
            self._display.say(f"perf_bench gives no answer ({sentence}); trying again")
        self._failures += 1
        self._last = sentence
        return min(self._pace.interval * 2.0 ** min(self._failures, 20), _LONGEST_PAUSE)

    def _pause(self, seconds: float) -> None:
        left = self._left()
        time.sleep(seconds if left is None else min(seconds, left))

    def _left(self) -> Optional[float]:
        """Seconds until the time-out, None without one; raises TimedOut after it."""
        if self._pace.timeout is None:
            return None
        left = self._pace.timeout - (time.monotonic() - self._began)
        if left <= 0:
            last = f" ({self._last})" if self._last else ""
            raise TimedOut(f"round {self._id} has not ended within {self._pace.timeout:g} s{last}")
        return left
