"""What keeps a round from starting, and what of it may be overridden."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Optional

import pytest

from perf_bench.bench.admission import checked, decide
from perf_bench.errors import NotNow
from perf_bench.model.admission import (
    Ask,
    HealthCheck,
    Load,
    NewMaps,
    RoundWear,
    Rules,
    Situation,
    Space,
    WearLedger,
)
from perf_bench.model.plan import Window

GIB = 1 << 30
TIB = 1 << 40
NOON = 1_700_049_600.0  # 2023-11-15 12:00 UTC
ASK = Ask((0, 1, 2), 3 * GIB, GIB, seconds=600.0, benches=900)
RULES = Rules()
# Everything is known, and all is well.
FINE = Situation(
    at=NOON,
    checks=(),
    flags=frozenset(("sortbitwise", "recovery_deletes", "noscrub", "nodeep-scrub")),
    pgs={"active+clean": 200, "active+clean+scrubbing+deep": 3},
    slow_ops={},
    fullness={},
    space={osd: Space(4 * TIB, TIB) for osd in range(6)},
    pool_available=10 * TIB,
    down_in=(),
    changes={},
    maps=NewMaps(13, 13, 600.0),
    releases={"18.2.7": 6},
    upgrading=False,
    client=Load(100e6, 1000.0),
    possible=Load(1000e6, 50_000.0),
    wear=WearLedger(),
    running=(),
)


def test_a_cluster_at_rest_is_measured() -> None:
    decision = decide(ASK, FINE, RULES)
    assert (decision.allowed, decision.reasons, decision.notes) == (True, (), ())
    assert not decision.forceable  # there is nothing to force
    assert decision.held_by(force=False) == ()


def _check(code: str, summary: str = "", error: bool = False, muted: bool = False) -> Any:
    return {"checks": (HealthCheck(code, summary, error, muted),)}


def _wrote(osd: int, count: int, hours_ago: float) -> WearLedger:
    return WearLedger((RoundWear("r", NOON - 3600 * hours_ago, {osd: count}),))


NEARFULL_TAIL = " nearly full, and a bench writes"

# what differs from all being well, the codes of the refusals, (one of) the sentences
REFUSED: list[tuple[dict[str, Any], list[str], str]] = [
    # a round runs
    ({"running": (12,)}, ["round-running"], "round 12 is running"),
    # OSDs down
    ({"down_in": (7,)}, ["osd-down"], "osd.7 is down and still in"),
    ({"down_in": (8, 7)}, ["osd-down"], "osd.7 and osd.8 are down and still in"),
    # OSDs that come and go
    (
        {"changes": {4: 5}},
        ["osd-flapping"],
        "osd.4 went up or down up to 5 times in the last 10 min",
    ),
    (
        {"changes": {4: 7, 5: 2, 6: 0}},
        ["osd-flapping"],
        "osd.4 went up or down up to 7 times in the last 10 min",
    ),
    # an OSD map that changes all the time
    (
        {"maps": NewMaps(14, 10, 600.0)},
        ["osd-maps"],
        (
            "the OSD map changed 14 times in 10 min, and Ceph can hang an OSD that gets a new map "
            "during a bench; 'ceph log last 50 info audit' shows what changes it"
        ),
    ),
    # an upgrade, seen by its mix or told by the orchestrator; the mix says more
    (
        {"releases": {"18.2.7": 5, "18.2.4": 1}},
        ["upgrade"],
        "an upgrade is under way: 1 OSD on 18.2.4, 5 OSDs on 18.2.7",
    ),
    ({"upgrading": True}, ["upgrade"], "an upgrade is under way, according to the orchestrator"),
    (
        {"upgrading": True, "releases": {"18.2.7": 5, "20.2.4": 1}},
        ["upgrade"],
        "an upgrade is under way: 5 OSDs on 18.2.7, 1 OSD on 20.2.4",
    ),
    ({"upgrading": True, "releases": None}, ["upgrade"], "according to the orchestrator"),
    # PGs
    ({"pgs": {"unknown": 9}}, ["pg-inactive"], "9 PGs are not active: clients wait for them"),
    (
        {"pgs": {"active+clean": 9, "peering": 1}},
        ["pg-peering"],
        "1 PG is peering: clients wait for them",
    ),
    ({"pgs": {"remapped+peering": 2}}, ["pg-peering"], "2 PGs are peering"),
    (
        {"pgs": {"active+recovery_wait": 2, "active+recovering": 1, "active+clean": 1}},
        ["pg-recovery"],
        "3 PGs are in recovery, which shares the devices with a bench",
    ),
    (
        {"pgs": {"active+remapped+backfilling": 2, "active+remapped+backfill_wait": 9}},
        ["pg-backfill"],
        "11 PGs are in backfill",
    ),
    (
        {"pgs": {"active+undersized+degraded": 4}},
        ["pg-degraded"],
        "4 PGs are without all good copies",
    ),
    (
        {"pgs": {"active+recovery_wait+degraded": 4}},
        ["pg-recovery", "pg-degraded"],
        "4 PGs are in recovery",
    ),
    ({"pgs": {"stale+active+clean": 1}}, ["pg-degraded"], "1 PG is without all good copies"),
    ({"pgs": {"down": 1}}, ["pg-inactive", "pg-degraded"], "1 PG is not active"),
    (
        {"pgs": {"active+clean+laggy": 3, "active+clean+wait": 1}},
        ["pg-laggy"],
        "4 PGs are laggy: OSDs answer too late already",
    ),
    # slow operations
    ({"slow_ops": {3: 1}}, ["slow-ops"], "1 slow operation on osd.3"),
    ({"slow_ops": {3: 9, 1: 2, 0: 0}}, ["slow-ops"], "11 slow operations on osd.1 and osd.3"),
    # health
    (
        _check("MON_DOWN", "1/3 mons down"),
        ["health"],
        "the cluster reports MON_DOWN: 1/3 mons down",
    ),
    (_check("OSD_HOST_DOWN"), ["health"], "the cluster reports OSD_HOST_DOWN"),
    # an error is never tolerated, whatever its name
    (_check("PERF_BENCH_LAGGY_PGS", "x", error=True), ["health"], "PERF_BENCH_LAGGY_PGS: x"),
    # what says it better is not known, so the check counts
    ({**_check("OSD_DOWN", "1 osds down"), "down_in": None}, ["health"], "OSD_DOWN: 1 osds down"),
    # flags
    (
        {"flags": frozenset(("noout",))},
        ["flags"],
        "the flag noout is set: the cluster may be under",
    ),
    (
        {"flags": frozenset(("norecover", "nobackfill"))},
        ["flags"],
        "the flags nobackfill, norecover are set: the cluster may be under maintenance",
    ),
    # full
    ({"fullness": {1: "nearfull"}}, ["osd-nearfull"], "osd.1 is" + NEARFULL_TAIL),
    ({"fullness": {1: "backfillfull"}}, ["osd-nearfull"], "osd.1 is" + NEARFULL_TAIL),
    ({"fullness": {1: "full"}}, ["osd-full"], "osd.1 is full, and a bench writes"),
    (
        {"fullness": {1: "full", 2: "full", 0: "nearfull"}},
        ["osd-full", "osd-nearfull"],
        "osd.1 and osd.2 are full, and a bench writes",
    ),
    # room
    (
        {"space": {osd: Space(100 * GIB, 84 * GIB) for osd in range(3)}},
        ["space-nearfull"],
        "the 1.0 GiB of a bench would make osd.0, osd.1 and osd.2 nearfull",
    ),
    (
        {"space": {0: Space(10 * GIB, 9 * GIB), 1: Space(TIB, 0), 2: Space(TIB, 0)}},
        ["space-full"],
        "the 1.0 GiB of a bench would make osd.0 full",
    ),
    # clients, by the tighter of the two
    (
        {"client": Load(201e6, 0.0)},
        ["client-load"],
        "clients use 20.1 % of what the last rounds showed possible, and up to 20 % is allowed",
    ),
    ({"client": Load(100e6, 25_000.0)}, ["client-load"], "clients use 50 % of"),
    (
        {"client": Load(0.0, 20.5), "possible": Load(1e6, 41.0)},
        ["client-load"],
        "clients use 50 % of",
    ),
    (
        {"client": Load((1 << 20) + 1.0, 0.0), "possible": Load(float(1 << 21), 20.0)},
        ["client-load"],
        "clients use 50 % of",
    ),
    # wear
    (
        {"wear": _wrote(1, 130 * GIB, hours_ago=20)},
        ["wear"],
        (
            "osd.1: rounds wrote 130.0 GiB in the last 24 h, this one would write 3.0 GiB more, "
            "and the budget is 122.9 GiB a day: it fits in 4 h"
        ),
    ),
    # the OSD that is over its budget by most is not the one on which the round fits last
    (
        {"wear": WearLedger((*_wrote(1, 200 * GIB, 23).rounds, *_wrote(2, 130 * GIB, 1).rounds))},
        ["wear"],
        (
            "osd.1 and osd.2: rounds wrote 130.0 GiB in the last 24 h, this one would write "
            "3.0 GiB more, and the budget is 122.9 GiB a day: it fits in 23 h"
        ),
    ),
]


NEVER = {"round-running", "osd-full", "space-full"}


def test_what_refuses() -> None:
    for differs, codes, sentence in REFUSED:
        decision = decide(ASK, replace(FINE, **differs), RULES)
        assert [refusal.code for refusal in decision.refusals] == codes
        assert any(sentence in reason for reason in decision.reasons), decision.reasons
        assert not decision.allowed
        # the rest is the operator's own risk
        assert {r.code for r in decision.held_by(force=True)} == NEVER.intersection(codes)


ALLOWED: list[dict[str, Any]] = [
    # tolerated by name and by pattern, muted, and said better elsewhere
    _check("POOL_NO_REDUNDANCY"),
    _check("PERF_BENCH_SLOW_OSD"),
    _check("AUTH_INSECURE_GLOBAL_ID_RECLAIM"),
    _check("MON_DOWN", muted=True),
    _check("OSDMAP_FLAGS", "noscrub flag(s) set"),
    _check("OSD_NEARFULL", "1 nearfull osd(s)"),  # osd.9, say, which is not chosen
    # an OSD that is not measured may be as full as it likes
    {"fullness": {9: "full"}},
    {"changes": {4: 4}},  # restarted, twice
    {"slow_ops": {4: 0}},
    {"pgs": {}},  # no pool yet
    {"pgs": {"active+undersized": 0, "active+clean+snaptrim": 5}},
    # up to the line, not over it
    {"client": Load(200e6, 10_000.0)},
    {"client": Load(0.0, 0.0), "possible": None},
    {"client": Load(None, 1000.0)},
    # an idle cluster's own chatter is no load, however small the cluster
    {"client": Load(500e3, 10.0), "possible": Load(1e6, 20.0)},
    {"client": Load(float(1 << 20), 20.0), "possible": Load(float(1 << 20), 20.0)},
    # nearfull already, to the byte: that is said of the fullness
    {"space": {osd: Space(100 * GIB, 85 * GIB) for osd in range(3)}},
    # of a day ago
    {"wear": _wrote(1, 130 * GIB, hours_ago=24)},
    {"wear": _wrote(9, 130 * GIB, hours_ago=1)},
]


def test_what_does_not_matter() -> None:
    for differs in ALLOWED:
        decision = decide(ASK, replace(FINE, **differs), RULES)
        assert (decision.reasons, decision.notes) == ((), ())


WEEKS = (
    *("BLUESTORE_FREE_FRAGMENTATION", "BLUEFS_SPILLOVER", "BLUESTORE_SLOW_OP_ALERT"),
    *("BLOCK_DEVICE_STALLED_READ_ALERT", "DB_DEVICE_STALLED_READ_ALERT"),
    *("WAL_DEVICE_STALLED_READ_ALERT", "OSD_FAIL_SLOW", "OSD_SLOW_PING_TIME_BACK"),
)


def test_alerts_that_say_nothing_against_a_round_are_tolerated_and_named() -> None:
    for code in WEEKS:
        decision = decide(ASK, replace(FINE, **_check(code, "1 OSD(s)")), RULES)
        assert decision.allowed
        assert [(one.code, one.summary) for one in decision.tolerated] == [(code, "1 OSD(s)")]
        refused = decide(ASK, replace(FINE, **_check(code)), Rules(tolerated=()))
        assert (refused.allowed, refused.tolerated) == (False, ())
        error = decide(ASK, replace(FINE, **_check(code, error=True)), RULES)
        assert (error.allowed, error.tolerated) == (False, ())


# What 20.2.4 says of a cluster that was made by an older release.
KEYS = ("AUTH_INSECURE_SERVICE_KEY_TYPE", "AUTH_INSECURE_SERVICE_TICKETS")


def test_errors_about_keys_are_tolerated_as_long_as_they_are_listed() -> None:
    for code in KEYS:
        decision = decide(ASK, replace(FINE, **_check(code, error=True)), RULES)
        assert (decision.allowed, [one.code for one in decision.tolerated]) == (True, [code])
        refused = decide(ASK, replace(FINE, **_check(code, error=True)), Rules(tolerated=()))
        assert (refused.allowed, refused.tolerated) == (False, ())


# --- options -----------------------------------------------------------------------------------

# what is asked, the rules, what differs, the codes
OPTIONS: list[tuple[Ask, Rules, dict[str, Any], list[str]]] = [
    (ASK, Rules(tolerated=()), _check("POOL_NO_REDUNDANCY"), ["health"]),
    (ASK, Rules(tolerated=("MON_*",)), _check("MON_DOWN"), []),
    (ASK, Rules(client_share=0.05), {}, ["client-load"]),
    (ASK, Rules(client_share=1.0), {"client": Load(999e6, 0.0)}, []),
    (ASK, Rules(wear_bytes_per_day=3 * GIB), {}, []),
    (ASK, Rules(wear_bytes_per_day=3 * GIB - 1), {}, ["wear"]),
    (ASK, Rules(wear_bytes_per_day=0), {}, ["wear"]),
    (ASK, Rules(window=str(Window(11 * 60, 13 * 60))), {}, []),
    (ASK, Rules(window=str(Window(1 * 60, 5 * 60))), {}, ["window"]),
    # it is 21:00 in Tokyo
    (ASK, Rules(window=str(Window(20 * 60, 60)), timezone="Asia/Tokyo"), {}, []),
    (ASK, Rules(window=str(Window(11 * 60, 13 * 60)), timezone="Asia/Tokyo"), {}, ["window"]),
    # ten minutes fit exactly
    (ASK, Rules(window=str(Window(11 * 60, 12 * 60 + 10))), {}, []),
    (replace(ASK, seconds=601.0), Rules(window=str(Window(660, 730))), {}, ["window-short"]),
    # it opens now
    (ASK, Rules(window=str(Window(12 * 60, 13 * 60))), {}, []),
    (replace(ASK, pool_bytes=4 * TIB), RULES, {}, []),
    (replace(ASK, pool_bytes=5 * TIB), RULES, {}, []),
    (replace(ASK, pool_bytes=6 * TIB), RULES, {}, ["pool-space"]),
]


def test_options() -> None:
    for ask, rules, differs, codes in OPTIONS:
        decision = decide(ask, replace(FINE, **differs), rules)
        assert [refusal.code for refusal in decision.refusals] == codes


# --- force -------------------------------------------------------------------------------------


def test_what_force_overrides() -> None:
    cases: list[Any] = [
        (ASK, {"running": (1,)}, ["round-running"]),
        (ASK, {"fullness": {1: "full"}}, ["osd-full"]),
        (ASK, {"space": {o: Space(10 * GIB, 9 * GIB) for o in range(3)}}, ["space-full"]),
        (replace(ASK, pool_bytes=11 * TIB), {}, ["pool-space"]),
        (replace(ASK, pool_bytes=6 * TIB), {}, []),
        # one that must not be forced is enough, and only that one is left
        (ASK, {"fullness": {1: "full"}, "down_in": (4,)}, ["osd-full"]),
        (ASK, {"down_in": (4,), "slow_ops": {1: 1}, "pgs": {"unknown": 1}}, []),
    ]
    for ask, differs, held in cases:
        decision = decide(ask, replace(FINE, **differs), RULES)
        assert not decision.allowed
        assert [refusal.code for refusal in decision.held_by(force=True)] == held
        assert decision.held_by(force=False) == decision.refusals
        assert decision.forceable == (not held)


# --- what is not known -------------------------------------------------------------------------

# the field, what it is called, whether it is essential
UNKNOWN: list[tuple[str, Optional[tuple[str, bool]]]] = [
    ("checks", ("health", True)),
    ("flags", ("flags", False)),
    ("pgs", ("pgs", True)),
    ("slow_ops", ("slow-ops", False)),
    ("fullness", ("fullness", True)),
    ("space", ("space", False)),
    ("pool_available", None),  # the round keeps nothing in the pool
    ("down_in", ("down", True)),
    ("changes", ("changes", False)),
    ("maps", ("osd-maps", False)),
    ("releases", None),  # the orchestrator says that there is no upgrade
    ("upgrading", None),  # all OSDs are of one version
    ("client", ("client-load", False)),
    ("possible", ("client-load", False)),
    ("wear", ("wear", False)),
]


def test_what_is_not_known_is_said() -> None:
    for field, unknown in UNKNOWN:
        nothing: dict[str, Any] = {field: None}
        situation = replace(FINE, **nothing)
        decision = decide(ASK, situation, RULES)
        assert decision.allowed
        found = [(one.code, one.essential) for one in decision.unknown]
        assert found == ([unknown] if unknown else [])
        assert all("not known" in note for note in decision.notes)
        # where nobody reads it, what is essential refuses, and what is not is said still
        alone = decide(ASK, situation, Rules(attended=False))
        essential = [unknown[0]] if unknown and unknown[1] else []
        assert [refusal.code for refusal in alone.refusals] == essential
        assert len(alone.unknown) == (1 if unknown and not unknown[1] else 0)


def test_every_field_that_may_be_unknown_has_its_row() -> None:
    optional = {field.name for field in fields(Situation) if field.default is None}
    assert optional == {field for field, _ in UNKNOWN} | {"running"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (Rules(window="late"), "admission_window"),
        (Rules(window="01:00-05:00", timezone="Mars"), "admission_timezone"),
    ],
)
def test_with_a_wrong_option_no_round_starts(options: Rules, named: str) -> None:
    with pytest.raises(NotNow, match=f"the option mgr/perf_bench/{named}: "):
        checked(options)
