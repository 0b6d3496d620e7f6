"""Questions that compare rounds: with each other, over time, with published figures."""

from __future__ import annotations

from typing import Optional

from ..bench.comparisons import Comparisons
from ..model.json_fields import Json
from ..report import comparison, reference
from .paging import page_of

# As many OSDs as ``round show`` shows.
_SHOWN = 200


class ComparisonApi:
    """``round compare``, ``profile history``, ``baseline …`` and ``reference ls``."""

    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def rounds(
        self, a: int, b: int, limit: Optional[int] = None, offset: Optional[int] = None
    ) -> Json:
        """Round b against round a, with a page of the OSDs that both measured, worst first."""
        first, count = page_of(limit if limit is not None else _SHOWN, offset)
        found = self._comparisons.rounds(a, b)
        shape = comparison.comparison(found.comparison, count, first, found.clients)
        return {**shape, "setups": list(found.setups)}

    def history(self, profile: str) -> Json:
        """A profile's newest rounds, where their level changed, and the regression if any."""
        return comparison.history(*self._comparisons.history(profile))

    def set_baseline(self, round_id: int, profile: Optional[str] = None) -> Json:
        """Hold the later rounds of its profile against this one. Raises InvalidValue if unfit."""
        return comparison.baseline(self._comparisons.set_baseline(round_id, profile))

    def baselines(self) -> list[Json]:
        """The baseline of each profile that has one."""
        return [comparison.baseline(one) for one in self._comparisons.baselines()]

    def references(self) -> list[Json]:
        """The published figures."""
        return [reference.figure(figure) for figure in self._comparisons.published()]
