"""Follow a round to its end, over whatever happens to the mgr in between."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from typing import Any, Optional

from ..errors import CommandFailed, NotNow
from ..model.json_fields import Json
from ..model.round import RoundState
from .client import CephClient
from .display import Display, RoundProgress

# A mgr that takes over needs up to a minute; asking more often would not help it.
_LONGEST_PAUSE = 15.0


@dataclass(frozen=True)
class Pace:
    """How often to look and how long, in seconds; without ``timeout`` as long as it takes.

    Without a single answer for ``first_answer_limit`` nothing is failing over: there is no
    perf_bench, and waiting for ever would only hide that.
    """

    interval: float = 2.0
    timeout: Optional[float] = None
    first_answer_limit: float = 120.0


class TimedOut(Exception):
    """The round has not ended in time; ``str()`` is the sentence shown."""


class Follower:
    """Polls one round. One object a round."""

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
        """The ended round as ``round show`` tells it.

        Raises CommandFailed (no such round, no access, no perf_bench at all) or TimedOut.
        """
        while True:
            pause = self._pace.interval
            try:
                ended = self._look()
                self._answered, self._failures = True, 0
                if ended is not None:
                    return ended
            except NotNow as error:
                pause = self._bear(str(error))
            self._pause(pause)

    def _look(self) -> Optional[Json]:
        """The round if it has ended; else shows how far it is.

        The running round costs one call of the client, which takes 0.5 s of CPU: ``round show``
        is asked only when ``status`` does not tell.
        """
        active = self._ask("status")["active_round"]
        if active is not None and active["id"] == self._id:
            self._show(
                active["profile"], active["phase"], active["progress"], active["eta_seconds"]
            )
            return None
        found: Json = self._ask("round", "show", str(self._id), "--limit", "1")
        if RoundState(found["state"]).ended:
            return found
        self._show(found["profile"], found["state"])
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
        progress = RoundProgress(f"round {self._id} {profile}", phase, fraction, eta)
        self._last = str(progress)
        self._display.show(progress)

    def _bear(self, sentence: str) -> float:
        """Say once that there is no answer; returns how long to pause this time."""
        self._left()  # a call that our own time-out cut short is no outage
        waited = time.monotonic() - self._began
        patient = self._answered or self._pace.timeout is not None
        if not patient and waited >= self._pace.first_answer_limit:
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
        """Seconds until the time-out, None without one; raises TimedOut when there are none."""
        if self._pace.timeout is None:
            return None
        left = self._pace.timeout - (time.monotonic() - self._began)
        if left <= 0:
            last = f" ({self._last})" if self._last else ""
            raise TimedOut(f"round {self._id} has not ended within {self._pace.timeout:g} s{last}")
        return left
