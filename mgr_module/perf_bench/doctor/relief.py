"""Relieve an OSD on request: less primary affinity or reweight, recorded first.

Nothing here acts or undoes by itself. The journal is at the monitors: another mgr can undo it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Optional

from ..bench.held import RELIEF, Access, Held
from ..errors import InvalidValue, NotFound, NotNow, PerfBenchError
from ..model.admission import REWEIGHT, WORDS, Relief, Restored, same_value, setting, stored

# OSDs that may be relieved at once: more of them overload the others.
MOST = 100
# Seconds that a command waits: for a few commands of the monitors, each of which has 15 s.
_WAIT = 60.0


class OsdRelief:
    """``step`` is of the loop; the other methods may be called from any thread but that."""

    def __init__(self, access: Access) -> None:
        self._settings = access.settings
        self._held = Held(RELIEF, access)

    async def step(self) -> None:
        """The reconciler: read what another mgr or the host tool may have written."""
        await self._held.do(self._held.read_whole)

    def noted(self) -> Optional[Sequence[Relief]]:
        """The reliefs in the journal as it was read last, without what the map has now.

        None until it was read.
        """
        if not self._held.is_read:
            return None
        reliefs = [Relief(change) for change in self._held.changes]
        return sorted(reliefs, key=lambda one: (one.osd, one.what))

    def ls(self) -> Sequence[Relief]:
        """All reliefs, each with what the OSD map has now. Raises NotNow, CommandFailed."""
        self._held.ask(self._held.read_whole, _WAIT)
        return [self._asked(one) for one in self.noted() or ()]

    def relieve(self, osd: int, what: str, value: float) -> Relief:
        """Set the value (0 to 1), after what it was is recorded.

        A second relief of the same kind keeps what was before the first, unless an operator has
        changed it since. Raises InvalidValue, NotFound for an unknown OSD, NotNow, CommandFailed.
        """
        return self._held.ask(partial(self._relieve, osd, what, value), _WAIT)

    def undo(self, osd: int) -> Restored:
        """Put back what was before, of one OSD; what somebody else has changed since stays.

        Raises NotFound if it is not relieved, NotNow if the journal cannot be read or written.
        """
        return self._held.ask(partial(self._undo, osd), _WAIT)

    # --- inside ------------------------------------------------------------------------------

    def _relieve(self, osd: int, what: str, value: float) -> Relief:
        name, want = setting(osd, what), stored(value)
        before = self._held.read_whole()
        _check(osd, what, want, self._settings.read(name))
        if len(before) >= MOST and all(one.what != name for one in before):
            raise NotNow(
                f"{len(before)} reliefs are in effect, at most {MOST} may be: undo some, see "
                "'ceph perf-bench relief ls'"
            )
        changed = self._held.hold(RELIEF, {name: want})
        if not changed:
            raise NotNow(f"{WORDS[what]} of osd.{osd} was changed at this moment: try again")
        return self._asked(Relief(changed[0]))

    def _undo(self, osd: int) -> Restored:
        if all(Relief(one).osd != osd for one in self._held.read_whole()):
            raise NotFound(
                f"osd.{osd} is not relieved: 'ceph perf-bench relief ls' lists those that are"
            )
        done = self._held.release(lambda one: Relief(one).osd == osd)
        if done.unsaved is not None:
            raise NotNow(f"the journal of relieved OSDs: {done.unsaved}")
        return done

    def _asked(self, relief: Relief) -> Relief:
        """The relief with what the OSD map has now."""
        try:
            return replace(relief, now=self._settings.read(relief.change.what))
        except NotFound:
            return relief
        except PerfBenchError as error:
            return replace(relief, unread=str(error))


def _check(osd: int, what: str, want: str, now: Optional[str]) -> None:
    """Raise InvalidValue unless this takes load off the OSD."""
    name = f"{WORDS[what]} of osd.{osd} is {now}"
    if same_value(want, now):
        raise InvalidValue(f"{name} already", field=what)
    if now is not None and float(want) > float(now):
        out = " (it is out)" if what == REWEIGHT and float(now) == 0 else ""
        raise InvalidValue(f"{name}{out}: {want} would give it more load, not less", field=what)
