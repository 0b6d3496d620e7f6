"""Ceph's own alerts: which OSDs, and whether these are slow now."""

from __future__ import annotations

import pytest

from perf_bench.answers.findings import CephAlert as Answer
from perf_bench.model.verdict import CephAlert, OsdState, OsdVerdict
from perf_bench.watch.detect.ceph_alerts import blamed, explained

PING = "OSD_SLOW_PING_TIME_BACK"


@pytest.mark.parametrize(
    ("pairs", "lines", "osds"),
    [
        ({4: 3, 0: 1, 7: 1, 9: 1}, 3, (4,)),
        ({4: 1, 0: 1}, 1, (0, 4)),
        ({4: 2, 0: 2, 7: 1, 9: 1}, 3, (0, 4, 7, 9)),
    ],
)
def test_slow_pings_name_the_osd_of_all_pairs(
    pairs: dict[int, int], lines: int, osds: tuple[int, ...]
) -> None:
    assert blamed(CephAlert(PING, "slow", pairs, lines=lines)) == osds


def test_whether_they_are_slower_than_their_peers_now() -> None:
    states = {1: OsdState.SLOW, 2: OsdState.SUSPECT, 3: OsdState.NO_DATA}
    found = explained(
        CephAlert("SLOW_OPS", "4 slow ops", dict.fromkeys((1, 2, 3, 4), 1)),
        lambda osd: OsdVerdict(osd, states.get(osd, OsdState.OK)),
    )
    assert (found.slow, found.suspect, found.unjudged, found.as_peers) == ((1,), (2,), (3,), (4,))
    assert Answer(**vars(found)).peers_text == (
        "osd.1 slower than the peers; osd.2 suspect; osd.4 as fast as the peers; osd.3 cannot be "
        "judged ('ceph perf-bench osd ls' says why)"
    )
