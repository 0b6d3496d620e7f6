"""Questions about relieved OSDs."""

from __future__ import annotations

import math
from typing import Optional

from ..doctor.relief import OsdRelief
from ..errors import InvalidValue
from ..model.json_fields import Json
from ..model.quiesce import AFFINITY, REWEIGHT, is_out, stored
from ..report import relief as shapes


class ReliefApi:
    """``ceph perf-bench osd relieve``, ``relief ls``."""

    def __init__(self, relief: OsdRelief) -> None:
        self._relief = relief

    def ls(self) -> list[Json]:
        """All relieved OSDs, with what the OSD map has now."""
        return [shapes.relief(one) for one in self._relief.ls()]

    def relieve(
        self,
        osd: int,
        affinity: Optional[str] = None,
        reweight: Optional[str] = None,
        sure: bool = False,
    ) -> Json:
        """Take load off an OSD, by default its primary affinity to 0. Raises InvalidValue."""
        if affinity is not None and reweight is not None:
            raise InvalidValue("give --affinity or --reweight, one after the other", "reweight")
        if reweight is not None:
            what, value = REWEIGHT, _part("reweight", reweight)
            if is_out(what, float(stored(value))):
                raise InvalidValue(
                    f"reweight 0 takes osd.{osd} out: that is 'ceph osd out {osd}'", "reweight"
                )
        else:
            what, value = AFFINITY, _part("affinity", "0" if affinity is None else affinity)
        if not sure:
            raise InvalidValue(_sets(osd, what, value), "yes_i_really_mean_it")
        return shapes.relief(self._relief.relieve(osd, what, value))

    def undo(self, osd: int) -> Json:
        """Put back what was before the relief, unless somebody has changed it since."""
        return shapes.undone(osd, self._relief.undo(osd))

    def of(self, osd: int) -> Optional[list[Json]]:
        """The OSD's reliefs as the journal was read last; None until it was read."""
        noted = self._relief.noted()
        return None if noted is None else [shapes.noted(one) for one in noted if one.osd == osd]

    def count(self) -> Optional[int]:
        """How many OSDs are relieved, as the journal was read last; None until it was read."""
        noted = self._relief.noted()
        return None if noted is None else len({one.osd for one in noted})


def _part(name: str, text: str) -> float:
    """A number from 0 to 1. Raises InvalidValue."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidValue(f"{name} is a number from 0 to 1, not '{text[:40]}'", field=name)
    return value


def _sets(osd: int, what: str, value: float) -> str:
    """What the relief would change, for who has not agreed to it."""
    if what == REWEIGHT:
        return (
            f"this sets the reweight of osd.{osd} to {value:g}, data of it moves to "
            "others: add --yes-i-really-mean-it"
        )
    return (
        f"this sets the primary affinity of osd.{osd} to {value:g}, no data moves: "
        "add --yes-i-really-mean-it"
    )
