"""Questions about what is looked at, and what of that cannot be."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..answers.paging import WHOLE, Page
from ..model.coverage import Look
from ..model.json_fields import Json
from ..report import coverage as shapes
from ..watch.service import Watch

_KEYS = ("name", "what", "unit", "total", "looked", "partly", "complete", "summary")
# Stands for all looks.
ALL = ("*",)


class CoverageApi:
    """``ceph perf-bench coverage ls``, and what other answers end with."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """Everything that is looked at, and how many that are."""
        return page.of_keyed([shapes.look(one) for one in self._watch.coverage()], *_KEYS)

    def brief(self) -> Json:
        """The whole in the status."""
        return shapes.brief(self._watch.coverage())

    def below(self, names: Collection[str], answer: object) -> str:
        """The line that the text of an answer ends with, about these looks; "" for nothing."""
        return shapes.below(self.of(names), whole=not answer)

    def of(self, names: Collection[str]) -> Sequence[Look]:
        """The looks of these names."""
        looks = self._watch.coverage()
        return [one for one in looks if one.name in names] if names != ALL else looks
