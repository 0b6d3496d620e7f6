"""Detects OSDs that repeatedly go down and come back, and tells what others of the host did.

Ceph has no health check for it: for an OSD that is marked down and boots again within seconds
there is OSD_DOWN for a moment, and then only lines in the cluster log. Each time its PGs peer
again, and clients wait. Intended restarts (an upgrade, a reboot) are one or two. Ceph itself stops
an OSD after five in ten minutes (``osd_max_markdown_count``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Optional, Protocol

from ...model.cluster import UpDownChanges
from ...model.finding import Claim, Detector, Gap, Gauge, Look, Severity, Watched, WatchTick
from ...model.finding_kinds import OSD_FLAPPING
from ...model.json_fields import decode
from ...model.phrases import osd_names, plural, time_text, unit_named
from ..blame import Blamed, causes, units_of

# Minimum number of returns within the window.
LEAST = 3
WINDOW_SECONDS = 6 * 3600.0
# Maximum number of returns that are kept for an OSD, told and listed in a finding.
_KEPT = 64
_FORMAT = 2


class UpDown(Protocol):
    """OSDs that go up or down."""

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        """What changed after the epoch ``since``; nothing where that is None.

        None where there is no newer map, or the map was read a moment ago. Cheap to poll.
        """


class Return(NamedTuple):
    """A return of an OSD; ``down`` is when it was seen down, None if unknown."""

    down: Optional[float]
    up: float

    def moved(self, seconds: float) -> Return:
        """The same by a clock that is so many seconds ahead."""
        return Return(None if self.down is None else self.down + seconds, self.up + seconds)


@dataclass(frozen=True)
class Saved:
    """What outlives the mgr, in unix seconds.

    ``epoch`` is that of the map that was looked at ``at`` that time. By OSD since when it is
    ``down``, and its ``returns``.
    """

    epoch: Optional[int]
    at: float
    down: tuple[tuple[int, float], ...]
    returns: tuple[tuple[int, tuple[tuple[Optional[float], float], ...]], ...]


class OsdFlappingDetector(Detector):
    """Follows the epochs of the OSD map. Its times are those of ticks, so a few seconds late.

    They are steady, and become unix seconds where they are told or saved.
    """

    name = "flapping"

    def __init__(self, up_down: UpDown) -> None:
        self._up_down = up_down
        self._epoch: Optional[int] = None
        self._members: Sequence[Watched] = ()
        self._now = self._offset = 0.0
        self._down: dict[int, float] = {}
        self._returns: dict[int, list[Return]] = {}

    def tick(self, tick: WatchTick) -> None:
        looked_at, self._now, self._offset = self._now, tick.steady, tick.offset
        self._members = tick.members
        if self._now - looked_at > WINDOW_SECONDS:  # nobody knows when OSDs went or came meanwhile
            self._epoch, self._down = None, {}
        found = self._up_down.changes(self._epoch)
        if found is not None:
            for osd, epochs in found.osds.items():
                self._take(osd, epochs.up_from > (self._epoch or 0), epochs.down_at)
            self._epoch = found.epoch
        there = {member.osd for member in self._members}
        for osd, returns in list(self._returns.items()):
            recent = [one for one in returns if self._now - one.up <= WINDOW_SECONDS]
            self._returns[osd] = recent
            if not recent or (there and osd not in there):
                del self._returns[osd]

    def _take(self, osd: int, came_up: bool, down_at: int) -> None:
        went_down = down_at > (self._epoch or 0)
        if came_up and not down_at:  # one of before had this ID
            self._down.pop(osd, None)
        if came_up and down_at:  # without down_at the OSD is new
            down = self._down.pop(osd, self._now if went_down else None)
            self._returns[osd] = [*self._returns.get(osd, ()), Return(down, self._now)][-_KEPT:]
        elif went_down:
            self._down.setdefault(osd, self._now)

    def looks(self) -> Sequence[Look]:
        why = "the watch has not read the OSD map yet"
        unread = (Gap("unread", why, count=len(self._members)),)
        return [
            Look(
                "flapping",
                "OSDs going down and coming back",
                "OSD",
                len(self._members),
                (OSD_FLAPPING.code,),
                unread if self._epoch is None else (),
            )
        ]

    # --- what it means -----------------------------------------------------------------------

    def claims(self) -> list[Claim]:
        """Return a claim for each cause: a unit of which most OSDs flap, else the OSD.

        Not only if they do at the same moment: a host without memory loses one after the other.
        """
        there = {member.osd for member in self._members}
        often = [osd for osd, one in self._returns.items() if len(one) >= LEAST and osd in there]
        if not often:
            return []
        units = units_of(self._members)
        return [self._claim(one) for one in causes(often, units)]

    def _claim(self, blamed: Blamed) -> Claim:
        osds, unit = sorted(blamed.osds), blamed.unit
        worst = max((self._returns[osd] for osd in osds), key=len)
        if unit is None:
            message, figures = self._alone(osds[0])
        else:
            what = unit_named(unit.kind, unit.id)
            figures = {"osds_in_all": len(unit.osds), "together": what}
            message = (
                f"{len(osds)} of the {plural(len(unit.osds), 'OSD')} of {what} went down and came "
                f"back, up to {self._times(worst)}: {osd_names(osds)}"
            )
        evidence = {
            "osds": osds,
            "flaps": len(worst),
            "times": [one.moved(self._offset)._asdict() for one in worst],
            **figures,
        }
        began = [
            one.up if one.down is None else one.down for osd in osds for one in self._returns[osd]
        ]
        since = min(began) + self._offset
        code, severity = OSD_FLAPPING.code, Severity.WARNING
        return Claim(code, severity, blamed.target, message, evidence, since)

    def _alone(self, osd: int) -> tuple[str, Mapping[str, Any]]:
        """The message and the figures about one OSD."""
        host = next(member.host for member in self._members if member.osd == osd)
        beside = {one.osd for one in self._members if one.host == host} - {osd}
        message = f"osd.{osd} on {host} went down and came back {self._times(self._returns[osd])}"
        returned = self._returns.keys() - {osd}
        if beside:
            too = sorted(beside & returned)
            did = f"{osd_names(too)} did so too" if too else "none did"
            message = f"{message}; of the other {plural(len(beside), 'OSD')} on its host {did}"
        return message, {"host": host}

    def _times(self, returns: Sequence[Return]) -> str:
        """Say how often the OSD returned, and when last."""
        last = time_text(returns[-1].up + self._offset)
        return f"{plural(len(returns), 'time')} in 6 h, last at {last}"

    def explain(self, osd: int) -> list[str]:
        returns = self._returns.get(osd)
        if not returns:
            return []
        return [f"It went down and came back {self._times(returns)}."]

    def metrics(self) -> list[Gauge]:
        return [
            Gauge(
                "osd_flaps",
                "Times that an OSD went down and came back in the last 6 hours, of those that did",
                [
                    ({"ceph_daemon": f"osd.{osd}"}, float(len(returns)))
                    for osd, returns in sorted(self._returns.items())
                ],
                per_osd=True,
            )
        ]

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        offset = self._offset
        saved = Saved(
            self._epoch,
            self._now + offset,
            tuple((osd, at + offset) for osd, at in self._down.items()),
            tuple(
                (osd, tuple(one.moved(offset) for one in those))
                for osd, those in self._returns.items()
            ),
        )
        return {"format": _FORMAT, **asdict(saved)}

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Load the saved state. OSDs that came up after the saved epoch count as returned.

        Not those of a state that is older than the window: they may have returned long ago.
        """
        if state.get("format") != _FORMAT:
            return
        saved, offset = decode(Saved, state), self._offset
        if self._epoch is None:
            self._epoch, self._now = saved.epoch, saved.at - offset
            self._down = {osd: at - offset for osd, at in saved.down}
        for osd, before in saved.returns:
            known = [Return(*one).moved(-offset) for one in before]
            self._returns[osd] = [*known, *self._returns.get(osd, ())][-_KEPT:]
