"""How often periodic work is done, and how much of it at once."""

from __future__ import annotations

from operator import is_not
from typing import Callable, Generic, Optional, TypeVar

T = TypeVar("T")

# A full pass over all OSDs takes about a minute, 12 ticks of 5 s: well within the 100 s of points
# that the mgr keeps.
_LEAST_SLICE = 500
_PASS_SECONDS, _TICK_SECONDS = 60.0, 5.0


class Every:
    """A timer: ``is_due`` is True at most once in ``seconds``. Times are monotonic."""

    def __init__(self, seconds: float, first: float = 0.0) -> None:
        """``first`` is the time from which on it is due for the first time."""
        self._seconds = seconds
        self._due = first

    def is_due(self, now: float) -> bool:
        """Whether the work is due; if so, it is due again ``seconds`` later."""
        if now < self._due:
            return False
        self._due = now + self._seconds
        return True


class Kept(Generic[T]):
    """The newest answer of ``read``, for those who need none that is newer."""

    def __init__(self, read: Callable[[], T], monotonic: Callable[[], float]) -> None:
        self._read = read
        self._monotonic = monotonic
        self._answer: Optional[tuple[float, T]] = None

    def get(self, max_age: float) -> T:
        """The answer, at most ``max_age`` seconds old; what ``read`` raises leaves the one before.

        May be called from any thread; several that come at once may each read.
        """
        now, kept = self._monotonic(), self._answer
        if kept is None or now - kept[0] >= max_age:
            self._answer = kept = now, self._read()
        return kept[1]


class Memo(Generic[T]):
    """What a pure function returns for its newest arguments, which are told apart by identity.

    May be called from any thread; several that come at once may each compute.
    """

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        self._kept: Optional[tuple[tuple[object, ...], T]] = None

    @property
    def newest(self) -> Optional[T]:
        """What it returned last."""
        kept = self._kept
        return None if kept is None else kept[1]

    def __call__(self, *of: object) -> T:
        kept = self._kept
        if kept is None or any(map(is_not, kept[0], of)):
            self._kept = kept = of, self._compute(*of)
        return kept[1]


def slice_size(count: int, every: float = _TICK_SECONDS) -> int:
    """How many of ``count`` OSDs to read in one tick, if there is one ``every`` so many seconds."""
    ticks = max(1, round(_PASS_SECONDS / max(_TICK_SECONDS, every)))
    return min(count, max(_LEAST_SLICE, -(-count // ticks)))
