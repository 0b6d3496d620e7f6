"""How the time of one operation is split, and whose fault the waiting is."""

from __future__ import annotations

from typing import Any, Optional

import pytest

from operations import ERASURE_CODED, LAGGY, RELEASES, STALLED, answers, dump, operation
from perf_bench.model.verdict import Stage
from perf_bench.watch.breakdown import parsing
from perf_bench.watch.breakdown.stages import Split, shared_out, split

READS = "ondisk+read+known_if_redirected"
ARRIVED = ((0.0, "initiated"), (1.0, "throttled"), (3.0, "all_read"), (4.0, "queued_for_pg"))
STARTED = (*ARRIVED, (6.0, "reached_pg"), (7.0, "started"))


def _split(*events: tuple[float, str], age: Optional[float] = None, **more: Any) -> Split:
    entry = operation(*events, age=age, **more)
    (one,), _ = parsing.operations(dump([entry]), in_flight=age is not None)
    return split(one)


def _seconds(found: Split) -> dict[str, float]:
    return {stage.value: round(one, 6) for stage, one in found.seconds.items() if one}


_BEFORE = {"throttled": 1.0, "received": 3.0, "queued": 2.0}


def test_a_write_waits_for_its_own_commit_first() -> None:
    found = _split(
        *STARTED,
        (8.0, "waiting for subops from 3,5"),
        (10.0, "sub_op_commit_rec"),
        (13.0, "op_commit"),
        (20.0, "sub_op_commit_rec"),
        (20.5, "commit_sent"),
        (21.0, "done"),
    )
    assert _seconds(found) == {
        **_BEFORE, "prepared": 2.0, "own_commit": 5.0, "sub_operations": 7.0, "finished": 1.0,
    }  # fmt: skip
    assert (set(found.waited_for), found.waited) == ({3, 5}, 7.0)


def test_an_own_commit_that_comes_last_is_nobody_elses_fault() -> None:
    found = _split(
        *STARTED,
        (8.0, "waiting for subops from 3,5"),
        (9.0, "sub_op_commit_rec"),
        (10.0, "sub_op_commit_rec"),
        (20.0, "op_commit"),
        (20.0, "commit_sent"),
        (20.0, "done"),
    )
    assert _seconds(found) == {**_BEFORE, "prepared": 2.0, "own_commit": 12.0}
    assert found.waited == 0.0


def test_a_replica_that_old_releases_name_is_not_waited_for() -> None:
    found = _split(
        *STARTED,
        (8.0, "waiting for subops from 3,5"),
        (8.0, "op_commit"),
        (9.0, "sub_op_commit_rec from 5"),
        (20.0, "sub_op_commit_rec from 3"),
        (20.0, "done"),
    )
    assert (set(found.waited_for), found.waited) == ({3}, 12.0)


def test_a_pool_without_copies_waits_for_nobody() -> None:
    found = _split(*STARTED, (9.0, "op_commit"), (9.0, "commit_sent"), (9.0, "done"))
    assert _seconds(found) == {**_BEFORE, "prepared": 1.0, "own_commit": 2.0}


def test_shards_of_an_erasure_coded_pool_have_no_name() -> None:
    found = _split(
        *STARTED, (8.0, "sub_op_started"), (9.0, "sub_op_committed"), (15.0, "commit_sent"),
        (15.0, "done"),
    )  # fmt: skip
    assert _seconds(found)["sub_operations"] == 6.0
    assert (len(found.waited_for), found.waited, found.unnamed) == (0, 0.0, 6.0)


def test_blocked_time_has_its_reason() -> None:
    found = _split(
        *ARRIVED, (6.0, "reached_pg"), (6.5, "waiting for missing object"), (9.5, "reached_pg"),
        (10.0, "waiting for readable"), (30.0, "reached_pg"), (30.5, "started"), (31.0, "done"),
        flags=READS,
    )  # fmt: skip
    assert _seconds(found) == {
        **_BEFORE, "prepared": 1.5, "blocked": 3.0, "waiting_for_readable": 20.0, "data_read": 0.5,
    }  # fmt: skip
    assert found.blocked == {"waiting for missing object": 3.0}


def test_an_unknown_event_is_other_time() -> None:
    found = _split(*STARTED, (8.0, "pondering"), (9.0, "op_applied"), (12.0, "done"))
    assert _seconds(found)["other"] == 4.0


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("scene", [STALLED, LAGGY, ERASURE_CODED])
def test_stages_of_recordings_add_up_and_are_all_known(release: str, scene: str) -> None:
    if (release, scene) == ("reef", ERASURE_CODED):
        return  # not recorded
    osd = {STALLED: 1, LAGGY: 1, ERASURE_CODED: 4}[scene]
    for one in answers(release, scene, osd).operations.values():
        found = split(one)
        assert sum(found.seconds.values()) == pytest.approx(one.end - one.events[0].at)
        assert Stage.OTHER not in found.seconds


# --- who waits for whom ---------------------------------------------------------------------------


def _waits(*each: tuple[set[int], float]) -> list[Split]:
    return [Split(waited_for=frozenset(osds), waited=seconds) for osds, seconds in each]


def test_one_replica_is_clear() -> None:
    (found,) = shared_out(_waits(({3}, 2.0), ({3}, 1.0)))
    assert (found.osd, found.seconds, found.share, found.operations) == (3, 3.0, 1.0, 2)


def test_the_osd_that_waits_have_in_common_is_behind_them() -> None:
    found = shared_out(_waits(*[({3, partner}, 1.0) for partner in (1, 2, 4, 5)]))
    assert [(one.osd, round(one.share, 2)) for one in found] == [(3, 1.0)]
    assert found[0].seconds == pytest.approx(4.0)


def test_two_slow_ones_are_both_told() -> None:
    found = shared_out(_waits(({3, 1}, 1.0), ({3, 2}, 1.0), ({6, 4}, 0.6), ({6, 5}, 0.6)))
    assert [(one.osd, one.share) for one in found] == [(3, 0.625), (6, 0.375)]


def test_the_time_of_all_operations_is_kept() -> None:
    each = _waits(({1, 2}, 1.0), ({2, 3}, 0.5), ({1, 3}, 0.25), ({4}, 0.25))
    assert sum(one.seconds for one in shared_out(each)) == pytest.approx(2.0, rel=0.02)


def test_more_waiting_for_an_osd_never_makes_it_less_suspect() -> None:
    shares = []
    for seconds in (0.1, 0.5, 1.0, 2.0, 10.0):
        found = shared_out(_waits(({1, 2}, 1.0), ({2, 3}, 1.0), ({1, 3}, seconds)))
        by_osd = {one.osd: one.share for one in found}
        shares.append(by_osd.get(1, 0.0) + by_osd.get(3, 0.0))
    assert shares == sorted(shares)


def test_the_order_does_not_matter() -> None:
    each = _waits(({1, 2}, 1.0), ({2, 3}, 0.5), ({1, 3}, 0.25), ({4}, 0.3))
    found = {one.osd: one.seconds for one in shared_out(each)}
    again = {one.osd: one.seconds for one in shared_out(reversed(each))}
    assert found == pytest.approx(again)


def test_at_most_five_are_told() -> None:
    found = shared_out(_waits(*[({osd}, float(osd)) for osd in range(1, 9)]))
    assert [one.osd for one in found] == [8, 7, 6, 5, 4]
