"""Ceph's own alerts: which OSDs, what they share, whether they go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import pytest

from perf_bench.answers.findings import CephAlert as Answer
from perf_bench.model.finding import Watched
from perf_bench.model.verdict import (
    ALERTS,
    CephAlert,
    Ongoing,
    OsdState,
    OsdVerdict,
)
from perf_bench.watch.detect.ceph_alerts import blamed, explained, how_long, spread_of

SLOW, STALLED, PING = (
    "BLUESTORE_SLOW_OP_ALERT",
    "DB_DEVICE_STALLED_READ_ALERT",
    "OSD_SLOW_PING_TIME_BACK",
)
DAY = 86400.0


def members(hosts: int = 4, each: int = 3) -> list[Watched]:
    """OSDs 0, 1, 2 on host-0 and so on; every third is of the model B."""
    return [
        Watched(
            osd,
            f"osd.{osd}",
            f"host-{osd // each}",
            f"hdd {'B' if osd % 3 == 2 else 'A'}",
            rack=f"rack-{osd // (2 * each)}",
            device=f"host-{osd // each}/sd{osd}",
        )
        for osd in range(hosts * each)
    ]


def alert(code: str = SLOW, osds: Sequence[int] = (4,), **more: Any) -> CephAlert:
    given = {"lines": len(osds), "lifetime": DAY, **more}
    return CephAlert(code, f"{len(osds)} OSD(s)", dict.fromkeys(osds, 1), **given)


@pytest.mark.parametrize(
    ("osds", "spread", "words"),
    [
        ([4], "osd", "one OSD (osd.4 of host-1)"),
        ([3, 4], "host", "one host (host-1): 2 of its 3 OSDs"),
        ([0, 4], "rack", "one rack (rack-0): 2 of its 6 OSDs"),
        ([2, 11], "cohort", "one model or kind (hdd B): 2 of its 4 OSDs"),
        ([0, 11], "several", "2 of 12 OSDs on 2 hosts"),
        (list(range(12)), "all", "all 12 OSDs: not one device, but what all of them share"),
        ([4, 99], "several", "2 OSDs (osd.4 and osd.99)"),
        ([], "unknown", "the alert names no OSD"),
    ],
)
def test_what_the_osds_have_in_common(osds: list[int], spread: str, words: str) -> None:
    assert spread_of(osds, members()) == (spread, words)


@pytest.mark.parametrize(("lifetime", "told"), [(3600.0, "1 h"), (None, "24 h")])
def test_how_long_an_alert_stays_is_told(lifetime: Optional[float], told: str) -> None:
    for code in (SLOW, STALLED):
        ongoing, why = how_long(alert(code, lifetime=lifetime))
        assert ongoing is Ongoing.UNKNOWN
        assert why.startswith(f"it stays for {told} after the last event, and Ceph does not tell")


@pytest.mark.parametrize(
    ("code", "improving", "ongoing"),
    [
        ("SLOW_OPS", False, Ongoing.YES),
        ("BLUEFS_SPILLOVER", False, Ongoing.STATE),
        (PING, False, Ongoing.YES),
        (PING, True, Ongoing.OVER),
    ],
)
def test_alerts_without_events(code: str, improving: bool, ongoing: Ongoing) -> None:
    assert how_long(alert(code, improving=improving))[0] is ongoing


def test_slow_operations_point_to_osds_that_stopped_reporting() -> None:
    assert "stopped" not in how_long(alert("SLOW_OPS", (0,)))[1]
    assert "osd.1 stopped reporting, look there first" in how_long(alert("SLOW_OPS", (0,)), (1,))[1]
    assert "stopped" not in how_long(alert("OSD_FAIL_SLOW", (0,)), (1,))[1]


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
        alert(osds=(1, 2, 3, 4)),
        members(),
        (),
        lambda osd: OsdVerdict(osd, states.get(osd, OsdState.OK)),
    )
    assert (found.slow, found.suspect, found.unjudged, found.as_peers) == ((1,), (2,), (3,), (4,))
    assert Answer(**vars(found)).peers_text == (
        "osd.1 slower than its peers; osd.2 suspect; osd.4 as fast as its peers; osd.3 cannot be "
        "judged ('ceph perf-bench osd ls' says why)"
    )


def test_alerts_with_a_lifetime_name_its_option() -> None:
    for kind in ALERTS:
        assert bool(kind.lifetime) is (kind.ongoing is Ongoing.UNKNOWN)
