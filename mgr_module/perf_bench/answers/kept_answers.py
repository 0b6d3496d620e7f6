"""Answers that are used again for a while."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Callable, TypeVar

from ..core.clock import Clock

T = TypeVar("T")


class KeptAnswers:
    """The newest ``most`` answers, by question; safe to use from any thread."""

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock = clock
        self._most = most
        # By question when it was answered (monotonic seconds), and the answer.
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    def of(self, question: Hashable, fresh: float, answer: Callable[[], T]) -> T:
        """The answer, at most ``fresh`` seconds old; others do not wait while it is made."""
        now = self._clock.monotonic()
        asked_at, kept = self._answers.get(question, (-math.inf, None))
        if now - asked_at < fresh:
            known: T = kept
            return known
        made = answer()
        self._answers[question] = now, made
        # Copies, because others may add theirs meanwhile.
        oldest = sorted(self._answers.copy().items(), key=lambda one: one[1][0])
        for one, _ in oldest[: max(0, len(oldest) - self._most)]:
            self._answers.pop(one, None)
        return made
