"""Relief of an OSD: it gets less load until an operator undoes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .quiesce import SettingChange, same_value

AFFINITY, REWEIGHT = "primary_affinity", "reweight"
# How the two are called in sentences.
WORDS = {AFFINITY: "primary affinity", REWEIGHT: "reweight"}
# The OSD map keeps both as multiples of this part of 1.
_PARTS = 0x10000


def stored(value: float) -> str:
    """The value (0 to 1) as the OSD map keeps it: 0.3 becomes 0.29998779296875."""
    return repr(int(value * _PARTS) / _PARTS)


def setting(osd: int, what: str) -> str:
    """The name of the setting, for ``model.quiesce``."""
    return f"osd/{osd}/{what}"


@dataclass(frozen=True)
class Relief:
    """One relief: what it changed, and what the OSD map has ``now`` (None: no such OSD).

    ``unread`` says why the map could not be asked.
    """

    change: SettingChange
    now: Optional[str] = None
    unread: Optional[str] = None

    @property
    def since(self) -> float:
        """Unix seconds."""
        return self.change.at

    @property
    def osd(self) -> int:
        return int(self.change.what.split("/")[1])

    @property
    def what(self) -> str:
        return self.change.what.split("/")[2]

    @property
    def in_effect(self) -> Optional[bool]:
        """Whether the OSD map has what was set; None if it could not be asked."""
        return None if self.unread else same_value(self.now, self.change.want)


def is_out(what: str, now: Optional[float]) -> bool:
    """Whether the OSD is out: Ceph has the reweight 0 then, and gives it the one of before again.

    A relief never sets a reweight to 0.
    """
    return what == REWEIGHT and now == 0


def why_out(change: SettingChange, now: Optional[str]) -> Optional[str]:
    """Why a change that is a reweight cannot be put back now: the OSD is out, None if it is not.

    The map has the weight 0 until it is in again. The monitors keep the weight that it had
    (``osd_xinfo``), and give it that then: without the journal it would stay relieved for ever.
    """
    kind, _, name = change.what.partition("/")
    osd, _, field = name.partition("/")
    if kind != "osd" or now is None or not is_out(field, float(now)):
        return None
    return f"osd.{osd} is out, and has reweight {change.want} when it is in again: undo it then"
