"""A cohort's OSDs together over an hour or a day, as the store's series have them."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from .frame import COMMIT, JUDGED, QUEUE, READ, Watched
from .history import LOAD

# The channels whose latencies a span has, in the order of ``CohortSpan.latency``.
SPAN_CHANNELS = JUDGED
# What its load is told by, in the order of ``CohortSpan.load``: operations, and bytes (LOAD).
SPAN_LOADS = (COMMIT, READ, QUEUE, LOAD)
# A cohort of fewer OSDs has no typical one.
LEAST_OSDS = 3
# Of a larger cohort so many OSDs are read, evenly chosen: their median is that of all within 0.3 %
# where OSDs differ by 6 %.
SAMPLED_OSDS = 1000
# Ceph's release in a cohort's name (watch/collect/roster.py), before the CRUSH roots.
_RELEASE = re.compile(r" ceph-\d+(?= |$)")


class CohortSpan(NamedTuple):
    """The typical OSD of a cohort over one span; None for what is not known.

    ``latency`` has by channel the median of the OSDs' means, in seconds. ``load`` is that of the
    median OSD, per second. ``start`` is unix seconds.
    """

    start: int
    latency: tuple[Optional[float], ...]
    load: tuple[Optional[float], ...]


def cohort_over_time(member: Watched) -> str:
    """The OSD's cohort without Ceph's release: with it an upgrade would begin another past."""
    return without_release(member.cohort)


def without_release(cohort: str) -> str:
    """The name of a cohort without Ceph's release."""
    return _RELEASE.sub("", cohort, count=1)
