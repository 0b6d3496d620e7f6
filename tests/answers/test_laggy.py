"""``laggy ls``: the public keys, and the text."""

from __future__ import annotations

import json

from perf_bench.answers.shape import to_json
from perf_bench.answers.watched import Laggy, laggy_answer, laggy_text
from perf_bench.model.verdict import Episode, LaggyNow, LaggyOsd, LaggyPool, Suspect

NOW = 1_795_000_000.0
SUSPECT = Suspect(2, 180.0, 1.0, 0.1622, stale_seconds=20.0, slow_ops=4)
MANY = tuple(Suspect(osd, 1.0, 1.0, 1.0) for osd in range(1000, 1016))
EPISODES = [
    Episode(NOW, None, 12, 180.0, (SUSPECT,), pools=("rbd",), round_id=7),
    Episode(NOW - 600, NOW - 570, 2, 60.0),
    Episode(NOW - 6000, NOW - 5000, 2, 2000.0, stuck=True),
    Episode(NOW - 9000, NOW - 8990, 90, 99_999.0, MANY),
]


def answer(episodes: list[Episode]) -> Laggy:
    osds = [LaggyOsd(2, 180.0, 1110.0), LaggyOsd(1, 110.0, 1350.0)]
    pools = [LaggyPool("a-pool-with-a-very-long-name-as-people-give-them", 6, 0, 180.0)]
    hosts = {2: "a-host-with-a-rather-long-name.example.com"}
    return laggy_answer(LaggyNow(6, 0, 65, NOW), osds, pools, episodes, hosts.get)


def test_the_public_keys() -> None:
    whole = to_json(answer(EPISODES))
    assert json.loads(json.dumps(whole)) == whole
    assert whole["now"] == {"laggy": 6, "wait": 0, "pgs": 65, "at": "2026-11-18T11:06:40.000Z"}
    assert whole["osds"][0] == {
        "osd": 2,
        "host": "a-host-with-a-rather-long-name.example.com",
        "laggy_pg_seconds": 180.0,
        "share": 0.1622,
    }
    assert whole["osds"][1]["host"] is None
    assert {"from", "to", "peak", "suspects", "round"} <= whole["episodes"][0].keys()
    assert whole["episodes"][0]["to"] is None
    assert whole["episodes"][0]["suspects"][0]["stale_seconds"] == 20.0


TEXT = """\
now 6 laggy and 0 waiting of 65 placement groups

STARTED (UTC)          LASTED  PEAK      PG TIME  ROUND  WHAT
2026-11-18 11:06      goes on    12   3 min 00 s  7      osd.2
2026-11-18 10:56         30 s     2         60 s  -      none stands out
2026-11-18 09:26  16 min 40 s     2  33 min 20 s  -      stuck, no OSD
2026-11-18 08:36         10 s    90  27 h 46 min  -      osd.1000, osd.1001,…

OSD    HOST                               PG TIME  % OF ITS PGS
osd.2  a-host-with-a-rather-long-nam…  3 min 00 s          16.2
osd.1  -                               1 min 50 s           8.1

POOL                            LAGGY  WAITING     PG TIME
a-pool-with-a-very-long-name-…      6        0  3 min 00 s"""


def test_the_text() -> None:
    lines = laggy_text(answer(EPISODES)).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.rstrip() for line in lines] == TEXT.splitlines()


def test_a_long_list_says_how_many_more_there_are() -> None:
    episodes = [Episode(NOW - 60 * n, NOW - 60 * n + 30, 1, 30.0) for n in range(25)]
    assert "… and 5 more" in laggy_text(answer(episodes)).splitlines()


def test_before_the_first_look_and_when_all_was_well() -> None:
    unknown = laggy_answer(LaggyNow(), [], [], EPISODES, lambda _: None)
    assert laggy_text(unknown).startswith("not known yet: the watch has not looked at")
    assert "2026-11-18 11:06      goes on    12" in laggy_text(unknown)
    well = laggy_answer(LaggyNow(0, 0, 1, NOW), [], [], [], lambda _: None)
    assert laggy_text(well) == "now 0 laggy and 0 waiting of 1 placement group"


def test_what_is_left_out_is_counted() -> None:
    episodes = [
        Episode(
            NOW - 100 * n, NOW - 100 * n + 9, 2, 9.0, more_osds=n, more_suspects=3, more_pools=2
        )
        for n in range(60)
    ]
    pools = [LaggyPool(f"pool{n:02}", 1, 0, 9.0) for n in range(25)]
    osds = [LaggyOsd(2, 180.0, 1110.0)]
    found = laggy_answer(LaggyNow(6, 0, 65, NOW), osds, pools, episodes, lambda _: None)
    whole = to_json(found)
    assert (len(whole["episodes"]), whole["episodes_left_out"]) == (50, 10)
    assert whole["osds_left_out"] == 59
    first = whole["episodes"][0]
    assert (first["suspects_left_out"], first["pools_left_out"]) == (3, 2)
    text = laggy_text(found)
    assert "\n… and 40 more\n" in text  # episodes
    assert text.endswith("\n… and 5 more")  # pools
