"""The time by two clocks, so that a wrong one deletes nothing."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional


class Times(NamedTuple):
    """The time by this mgr's clock and by the monitors', in unix seconds.

    What is old is so at the earlier one, and what is in the future at the later one.
    """

    earlier: float
    later: float


class TwoClocks:
    """Reads the monitors' clock beside this mgr's.

    A host whose clock lost its battery starts in the year 2000. By that clock alone all that is
    stored would be in the future, and by one that is ahead all of it would be old.
    """

    def __init__(self, mons: Callable[[], Optional[float]] = lambda: None) -> None:
        """``mons`` returns the monitors' time in unix seconds; None if it is not known."""
        self._mons = mons

    def times(self, now: float) -> Times:
        """Return both times; ``now`` is that of this mgr's clock."""
        mons = self._mons()
        return Times(now, now) if mons is None else Times(min(now, mons), max(now, mons))
