"""What is changed for an OSD on request: mClock's capacities, and relief of an OSD that is slow.

Relief is less primary affinity or reweight. Each change is recorded at the monitors first, so that
another mgr can undo it; nothing here acts or undoes by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Optional

from ..bench.held import MCLOCK, RELIEF, Access, Held
from ..errors import InvalidValue, NotFound, NotNow
from ..model.admission import (
    WORDS,
    Relieved,
    Restored,
    SettingChange,
    same_value,
    setting,
    stored,
)
from .checks.mclock import proposed
from .service import Doctor

# OSDs that one call changes: each command takes some milliseconds, and the client waits.
MOST_CAPACITIES = 200


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

    def apply(self, beyond: bool = False) -> Applied:
        """Set the proposed values, of at most 200 OSDs; old values are recorded first.

        Those out of Ceph's range only with ``beyond``, the operator's consent.
        Raises NotNow if the journal cannot be read.
        """
        all_ = proposed(self._doctor.snapshot())
        agreed = [one for one in all_ if beyond or not one.consent]
        kept = [one.osd for one in all_ if one.consent and not beyond]
        chosen = agreed[:MOST_CAPACITIES]
        wanted = {f"config/osd.{one.osd}/{one.option}": str(one.proposed) for one in chosen}
        changed = self._held.ask(lambda: self._held.hold(MCLOCK, wanted)) if wanted else ()
        self._doctor.forget()
        return Applied([_osd_of(one.what) for one in changed], len(agreed) - len(chosen), kept)

    def restore(self) -> Applied:
        """Put back the old values of at most 200 OSDs; values changed since then stay.

        Raises NotNow if the journal cannot be read or written.
        """
        changes = self._held.ask(self._held.read_whole)
        # The last ones: the keys with those before stay as they are.
        chosen = {change.what for change in changes[-MOST_CAPACITIES:]}
        done = self._held.ask(lambda: self._held.undo(lambda one: one.what in chosen))
        self._doctor.forget()
        osds = sorted(_osd_of(change.what) for change in done.put_back)
        return Applied(osds, max(0, len(changes) - MOST_CAPACITIES), done=done)


def _osd_of(what: str) -> int:
    return int(what.split("/")[1].partition(".")[2])


# --- relief -------------------------------------------------------------------------------------


class OsdRelief:
    """``step`` is of the loop; the other methods may be called from any thread but that."""

    def __init__(self, access: Access) -> None:
        self._settings = access.settings
        self._held = Held(RELIEF, access)

    async def step(self) -> None:
        """The reconciler: read what another mgr or the host tool may have written."""
        await self._held.do(self._held.read_whole)

    def noted(self) -> Optional[Sequence[Relieved]]:
        """The reliefs in the journal as it was read last, without what the map has now.

        None until it was read.
        """
        if not self._held.is_read:
            return None
        return sorted(map(Relieved, self._held.changes), key=lambda one: (one.osd, one.what))

    def ls(self) -> Sequence[Relieved]:
        """All reliefs, each with what the OSD map has now. Raises NotNow, CommandFailed."""
        self._held.ask(self._held.read_whole)
        return [self._with_now(one.change) for one in self.noted() or ()]

    def relieve(self, osd: int, what: str, value: float) -> Relieved:
        """Set the value (0 to 1), after what it was is recorded.

        A second relief of the same kind keeps what was before the first, unless an operator has
        changed it since. Raises InvalidValue, NotFound for an unknown OSD, NotNow, CommandFailed.
        """
        return self._held.ask(partial(self._relieve, osd, what, value))

    def undo(self, osd: int) -> Restored:
        """Put back what was before, of one OSD; what somebody else has changed since stays.

        Raises NotFound if it is not relieved, NotNow if the journal cannot be read or written.
        """
        done = self._held.ask(lambda: self._held.undo(lambda one: Relieved(one).osd == osd))
        if not done.outcomes:
            raise NotFound(f"osd.{osd} is not relieved: see 'ceph perf-bench relief ls'")
        return done

    # --- inside ------------------------------------------------------------------------------

    def _relieve(self, osd: int, what: str, value: float) -> Relieved:
        name, want = setting(osd, what), stored(value)
        self._held.read_whole()
        _check(osd, what, want, self._settings.read(name))
        changed = self._held.hold(RELIEF, {name: want})
        if not changed:
            raise NotNow(f"{WORDS[what]} of osd.{osd} was changed at this moment: try again")
        return self._with_now(changed[0])

    def _with_now(self, change: SettingChange) -> Relieved:
        """The relief with what the OSD map has now."""
        return Relieved(change, *self._held.present(change.what))


def _check(osd: int, what: str, want: str, now: Optional[str]) -> None:
    """Raise InvalidValue unless this takes load off the OSD."""
    name = f"{WORDS[what]} of osd.{osd} is {now}"
    if same_value(want, now):
        raise InvalidValue(f"{name} already", field=what)
    if now is not None and float(want) > float(now):
        raise InvalidValue(f"{name}: {want} would give it more load, not less", field=what)
