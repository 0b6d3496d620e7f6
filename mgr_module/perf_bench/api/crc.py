"""Questions about checksums."""

from __future__ import annotations

from typing import Callable, Optional

from ..answers.paging import matching, ordered, page_of
from ..errors import PerfBenchError
from ..hardware.checksums import ChecksumMonitor, host_checksums, osd_checksums, worst_errors
from ..model.hardware import LINK_KINDS, MEDIA_KINDS
from ..model.json_fields import Json
from ..report import crc as shapes


class CrcApi:
    """``ceph perf-bench crc …``."""

    def __init__(self, crc: ChecksumMonitor, ask: Callable[[], Optional[float]]) -> None:
        """``ask`` lets the OSDs be asked whose share is not known; returns until when."""
        self._crc = crc
        self._ask = ask

    def ls(
        self,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        search: Optional[str] = None,
        sort: Optional[str] = None,
    ) -> tuple[Json, int]:
        """A page of OSDs by checksum share, with all error counters, and the number of OSDs.

        Raises StoreUnavailable while the facts of hosts are not read.
        """
        first, count = page_of(limit, offset)
        view = self._crc.read()
        osds = [shapes.osd(one) for one in osd_checksums(view)]
        if search:
            osds = matching(osds, shapes.FIELDS, shapes.SEARCHED, search)
        osds = ordered(osds, shapes.FIELDS, sort or "-checksum_share")
        links, media = (worst_errors(view, kinds) for kinds in (LINK_KINDS, MEDIA_KINDS))
        whole = shapes.whole(
            osds[first : first + count],
            ([shapes.errors(one, view.now) for one in links[0]], links[1]),
            ([shapes.errors(one, view.now) for one in media[0]], media[1]),
            [shapes.host(one) for one in host_checksums(view)],
            self._asking_until(),
        )
        return whole, len(osds)

    def _asking_until(self) -> Optional[float]:
        try:
            return self._ask()
        except PerfBenchError:  # what is known is told all the same
            return None
