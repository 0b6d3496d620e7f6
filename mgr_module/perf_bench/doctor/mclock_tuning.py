"""Set mClock's capacities on request; each change is recorded first and can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..bench.held import MCLOCK, Access, Held
from ..errors import NotNow, NotSupported
from ..model.admission import Restored
from ..model.doctor_snapshot import UNUSED, Capacity
from .checks.mclock import capacities
from .service import Doctor

# OSDs that one call changes: each command takes some milliseconds, and the client waits.
MOST = 200
# Seconds that a call waits for these: monitors on slow disks take a tenth of a second for each.
_WAIT = 60.0


class Applied(NamedTuple):
    """``changed`` lists the OSDs set or put back; ``left`` counts those for another call.

    ``needs_consent`` lists OSDs whose proposal is out of Ceph's range and was not set, ``done``
    has what became of those to put back.
    """

    changed: Sequence[int]
    left: int
    needs_consent: Sequence[int] = ()
    done: Restored = Restored()


class MclockTuning:
    """May be called from any thread but the loop's."""

    def __init__(self, doctor: Doctor, access: Access) -> None:
        self._doctor = doctor
        self._held = Held(MCLOCK, access)

    def capacities(self) -> Sequence[Capacity]:
        """The capacities of all OSDs that are up. Raises CommandFailed without the monitors."""
        return capacities(self._doctor.snapshot())

    def proposed(self) -> Sequence[Capacity]:
        """The capacities with a proposal. Raises NotSupported if no OSD uses mClock."""
        all_ = self.capacities()
        if all_ and all(one.verdict == UNUSED for one in all_):
            raise NotSupported(
                "no OSD uses mClock: osd_op_queue is another scheduler on this release"
            )
        return [one for one in all_ if one.proposed is not None]

    def apply(self, beyond: bool = False) -> Applied:
        """Set the proposed values, of at most 200 OSDs; old values are recorded first.

        Those out of Ceph's range only with ``beyond``, the operator's consent.
        Raises NotNow if the journal cannot be read.
        """
        all_ = self.proposed()
        proposed = [one for one in all_ if beyond or not one.consent]
        kept = [one.osd for one in all_ if one.consent and not beyond]
        chosen = proposed[:MOST]
        wanted = {f"config/osd.{one.osd}/{one.option}": str(one.proposed) for one in chosen}
        hold = partial(self._held.hold, MCLOCK, wanted)
        changed = self._held.ask(hold, _WAIT) if wanted else ()
        self._doctor.forget()
        osds = [_osd_of(change.what) for change in changed]
        return Applied(osds, len(proposed) - len(chosen), kept)

    def restore(self) -> Applied:
        """Put back the old values of at most 200 OSDs; values changed since then stay.

        Raises NotNow if the journal cannot be read or written.
        """
        changes = self._held.ask(self._held.read_whole, _WAIT)
        # The last ones: the keys with those before stay as they are.
        chosen = {change.what for change in changes[-MOST:]}
        done = self._held.ask(lambda: self._held.release(lambda one: one.what in chosen), _WAIT)
        if done.unsaved is not None:
            raise NotNow(f"the journal of capacities: {done.unsaved}")
        self._doctor.forget()
        osds = sorted(_osd_of(change.what) for change in done.put_back)
        return Applied(osds, max(0, len(changes) - MOST), done=done)


def _osd_of(what: str) -> int:
    return int(what.split("/")[1].partition(".")[2])
