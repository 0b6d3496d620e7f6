"""Questions to the doctor."""

from __future__ import annotations

from typing import Optional

from ..doctor.service import Doctor
from ..model.json_fields import Json
from ..model.selection import no_such_osd
from ..report import advice as shapes


class DoctorApi:
    """``ceph perf-bench doctor``."""

    def __init__(self, doctor: Doctor) -> None:
        self._doctor = doctor

    def advice(self, osd: Optional[int] = None) -> list[Json]:
        """All advice, or that about one OSD, worst first.

        Raises NotFound for an OSD that is not there, CommandFailed without the monitors.
        """
        if osd is not None and osd not in self._doctor.snapshot().osds:
            raise no_such_osd(osd)
        found = self._doctor.advice()
        return [shapes.advice(one) for one in found if osd is None or osd in one.osds]
