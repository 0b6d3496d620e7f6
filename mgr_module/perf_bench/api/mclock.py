"""Questions about mClock's capacities."""

from __future__ import annotations

from ..doctor.mclock_tuning import Applied, MclockTuning
from ..model.json_fields import Json
from ..report import mclock as shapes
from .paging import WHOLE, Page


class MclockApi:
    """``ceph perf-bench mclock …``."""

    def __init__(self, mclock_tuning: MclockTuning) -> None:
        self._mclock_tuning = mclock_tuning

    def ls(self, page: Page = WHOLE) -> tuple[list[Json], int]:
        """A page of the OSDs that are up, and how many there are."""
        found = [shapes.capacity(one) for one in self._mclock_tuning.capacities()]
        return page.of(found, shapes.FIELDS, shapes.SEARCHED, "osd")

    def propose(self) -> list[Json]:
        """The OSDs with a proposal. Raises NotSupported where no OSD uses mClock."""
        return [shapes.capacity(one) for one in self._mclock_tuning.proposed()]

    def apply(self, beyond: bool = False) -> Json:
        """Set the proposed capacities; the values before are kept in the journal.

        Those out of Ceph's range only with ``beyond``.
        """
        return _applied(self._mclock_tuning.apply(beyond))

    def restore(self) -> Json:
        """Restore the capacities that ``apply`` changed."""
        done = self._mclock_tuning.restore()
        return {
            "changed": list(done.changed),
            "left": done.left,
            "theirs": [{"what": one.what, "now": one.now} for one in done.done.left],
            "waiting": [{"what": one.change.what, "why": one.why} for one in done.done.waiting],
        }


def _applied(done: Applied) -> Json:
    return {
        "changed": list(done.changed),
        "left": done.left,
        "needs_consent": list(done.needs_consent),
    }
