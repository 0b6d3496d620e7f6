"""Questions about checksums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..hardware.checksum_figures import host_checksums, osd_checksums, recent, worst_errors
from ..hardware.checksums import ChecksumMonitor, ChecksumSnapshot
from ..model.checksum import LINK_KINDS, MEDIA_KINDS
from ..model.json_fields import Json
from ..report import crc as shapes
from ..report.listing import matching, ordered
from .paging import page_of


class CrcApi:
    """``ceph perf-bench crc …``."""

    def __init__(self, crc: ChecksumMonitor) -> None:
        self._crc = crc

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
        osds, links, media, hosts = self._crc.read(_read)
        if search:
            osds = matching(osds, shapes.FIELDS, shapes.SEARCHED, search)
        osds = ordered(osds, shapes.FIELDS, sort or "-checksum_share")
        page = osds[first : first + count]
        # Only for the page: for 10,000 OSDs it takes a third of a second.
        pasts = self._crc.read(lambda view: [recent(view, shape["osd"]) for shape in page])
        whole = [{**shape, **shapes.past(*past)} for shape, past in zip(page, pasts)]
        return shapes.whole(whole, links, media, hosts), len(osds)


def _read(
    view: ChecksumSnapshot,
) -> tuple[list[Json], tuple[list[Json], int], tuple[list[Json], int], list[Json]]:
    return (
        [shapes.osd(one) for one in osd_checksums(view)],
        _worst(view, LINK_KINDS),
        _worst(view, MEDIA_KINDS),
        [shapes.host(one) for one in host_checksums(view)],
    )


def _worst(view: ChecksumSnapshot, kinds: Sequence[str]) -> tuple[list[Json], int]:
    found, total = worst_errors(view, kinds)
    return [shapes.errors(one, view.now) for one in found], total
