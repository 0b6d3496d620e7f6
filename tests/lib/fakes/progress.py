"""Progress that is written down."""

from __future__ import annotations

from typing import Optional


class FakeProgress:
    """The Progress port. Fractions by round in the order told, and how each round ended."""

    def __init__(self) -> None:
        self.fractions: dict[int, list[float]] = {}
        self.messages: dict[int, str] = {}
        self.ended: dict[int, Optional[str]] = {}

    def update(self, round_id: int, message: str, fraction: float) -> None:
        if round_id in self.ended:
            raise AssertionError(f"round {round_id} has ended, and goes on")
        if not 0 <= fraction <= 1:
            raise AssertionError(f"progress of {fraction}")
        self.messages[round_id] = message
        self.fractions.setdefault(round_id, []).append(fraction)

    def end(self, round_id: int, failure: Optional[str] = None) -> None:
        if round_id in self.ended:
            raise AssertionError(f"round {round_id} ends twice")
        self.ended[round_id] = failure
