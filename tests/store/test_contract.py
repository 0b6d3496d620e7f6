"""What a round store does, whichever it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any, Callable, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.database import memory_store
from nouns import (
    BEGAN,
    a_plan,
    a_result,
    a_round,
    a_sample,
    an_osd,
    no_sample,
    put_round,
    some_osds,
)
from perf_bench.errors import NotFound
from perf_bench.model.admission import DAY
from perf_bench.model.plan import MIB, Reason
from perf_bench.model.round import Baseline, OsdResult, Round, RoundState, Verdict
from perf_bench.store.sqlite import Store

ROWS = [a_result(osd, None) for osd in (0, 1, 2)]
KEYS = count(1)


def _ended(
    store: Store,
    rates: dict[int, Optional[float]],
    profile: str = "osd-throughput",
    state: RoundState = RoundState.DONE,
) -> Round:
    """Store a round that ended with these rates in MiB/s by OSD; None was not measured."""
    plan = a_plan([list(rates)], profile=profile)
    rows = [a_result(osd, None) for osd in rates]
    stored = put_round(store, a_round(plan, key=str(next(KEYS))), rows)
    ended = replace(stored, state=state, ended_at=BEGAN + stored.id, verdict=Verdict.VALID)
    results = [a_result(osd, rate and rate * MIB) for osd, rate in rates.items()]
    store.end_round(ended, results)
    return ended


# --- rounds ----------------------------------------------------------------------------------


def test_storing_a_round_twice_stores_it_once(store: Store) -> None:
    draft = a_round()
    first = put_round(store, draft, ROWS)
    assert put_round(store, draft, ROWS) == first
    assert store.rounds() == ([first.line], 1)
    assert store.results(first.id)[1] == 3


Ask = Callable[[Store], object]


def test_a_round_that_does_not_exist(store: Store) -> None:
    rows: list[Ask] = [
        lambda store: store.round(7),
        lambda store: store.save_round(a_round(id=7)),
        lambda store: store.end_round(a_round(id=7), [a_result(0)]),
        lambda store: store.add_samples(7, [a_sample(0)]),
        lambda store: store.remove_round(7),
        lambda store: store.samples(7),
        lambda store: store.samples(7, [0]),
        lambda store: store.results(7),
        lambda store: store.set_baseline(7, BEGAN),
    ]
    for ask in rows:
        with pytest.raises(NotFound) as caught:
            ask(store)
        assert str(caught.value).startswith("no round 7")
        assert store.rounds() == ([], 0)


def test_no_id_is_used_twice(store: Store) -> None:
    first = put_round(store, a_round(key="a"), ROWS)
    second = put_round(store, a_round(key="b"), ROWS)
    store.remove_round(second.id)
    store.remove_round(first.id)
    assert put_round(store, a_round(key="c"), ROWS).id > second.id


def test_a_removed_round_takes_its_samples_and_rows_along(store: Store) -> None:
    kept = put_round(store, a_round(key="kept"), ROWS)
    gone = put_round(store, a_round(key="gone"), ROWS)
    for round_ in (kept, gone):
        store.add_samples(round_.id, [a_sample(0)])
    store.remove_round(gone.id)
    for ask in (store.sampled, store.round):
        with pytest.raises(NotFound):
            ask(gone.id)
    assert store.sampled(kept.id).samples == {("write", 1, 0)}
    assert store.results(kept.id)[1] == 3


def test_a_round_is_discarded_by_its_token(store: Store) -> None:
    kept = put_round(store, a_round(key="kept"), ROWS)
    put_round(store, a_round(key="gone"), ROWS)
    store.discard("token-gone")
    store.discard("never was")
    assert store.rounds() == ([kept.line], 1)


# --- lists of rounds -------------------------------------------------------------------------


def _many(store: Store) -> list[Round]:
    """Five rounds, oldest first: queued, running, done, aborted, failed."""
    return [put_round(store, a_round(state=state, key=state.value), ROWS) for state in RoundState]


def _labelled(store: Store) -> None:
    """Rounds 1 to 4; the second has not begun, the third ran longest."""
    rows = (
        ("Vor dem Lüfter", RoundState.DONE, 10.0),
        ("", RoundState.QUEUED, None),
        ("after 100 %", RoundState.DONE, 90.0),
        ("zz_top", RoundState.ABORTED, 10.0),
    )
    for label, state, took in rows:
        times: dict[str, Any] = {"started_at": BEGAN, "ended_at": took and BEGAN + took}
        put_round(store, a_round(state=state, key=str(next(KEYS)), label=label, **times), ROWS)


def test_rounds_with_a_text_in_them(store: Store) -> None:
    _labelled(store)
    rows: list[tuple[str, list[int]]] = [
        ("", [4, 3, 2, 1]),
        ("osd-THROUGHPUT", [4, 3, 2, 1]),
        ("lÜFTER", [1]),  # case does not matter, nor does the alphabet
        ("aborted", [4]),
        ("3", [3]),  # an ID
        ("%", [3]),  # no pattern, but itself
        ("_", [4]),
        ("'", []),
        ("4194304", []),  # nor in what the list does not show of the plan
        ("\ud800", []),  # half of a pair: JSON can say it, no database can hold it
    ]
    for search, found in rows:
        lines, total = store.rounds(search=search)
        assert ([line.id for line in lines], total) == (found, len(found))
        assert [line.id for line in store.rounds(search=search, limit=1, offset=1)[0]] == found[1:2]


def test_unfinished_rounds_oldest_first(store: Store) -> None:
    rounds = _many(store)
    assert store.unfinished() == rounds[:2]


# --- samples ---------------------------------------------------------------------------------


def test_samples_come_back_by_repeat_and_osd(store: Store) -> None:
    number = put_round(store, a_round(), ROWS).id
    samples = [a_sample(osd, repeat) for repeat in (1, 2) for osd in (0, 1, 2)]
    samples[4] = no_sample(1, 2, "went down")
    for sample in reversed(samples):
        store.add_samples(number, [sample])
    assert store.samples(number) == samples
    done = store.sampled(number)
    assert done.samples == {("write", repeat, osd) for repeat in (1, 2) for osd in (0, 1, 2)}
    assert done.ended == {"write": max(s.started_at + s.call_seconds for s in samples)}


def test_the_first_of_two_equal_samples_is_kept(store: Store) -> None:
    number = put_round(store, a_round(), ROWS).id
    first, again = a_sample(0, rate=100.0 * MIB), a_sample(0, rate=1.0 * MIB)
    store.add_samples(number, [first])
    store.add_samples(number, [again, a_sample(1)])
    assert store.samples(number) == [first, a_sample(1)]


def test_the_osds_that_did_not_answer_are_known(store: Store) -> None:
    number = put_round(store, a_round(), ROWS).id
    store.add_samples(number, [a_sample(0), no_sample(1, reason=Reason.DOWN)])
    assert store.sampled(number).silent == frozenset()
    store.add_samples(number, [no_sample(2, reason=Reason.SILENT)])
    store.add_samples(number, [no_sample(3, reason=Reason.NOT_ASKED)])
    assert store.sampled(number).silent == {2, 3}


# --- results ---------------------------------------------------------------------------------


RANKED = [
    a_result(4, percent_of_peers=50.0),
    a_result(1, percent_of_peers=99.0),
    a_result(3, percent_of_peers=99.0),
    # without peers to compare with: last
    a_result(0, percent_of_peers=None),
    a_result(2, None),
]


def test_results_slowest_first_and_those_without_peers_last(store: Store) -> None:
    number = put_round(store, a_round(), sorted(RANKED, key=lambda row: row.osd)).id
    assert store.results(number) == (RANKED, 5)


PLACED = [
    OsdResult(10, "alpha", "hdd", "A", 2, median_bytes_per_second=100.0, percent_of_peers=90.0),
    OsdResult(2, "beta", "ssd", "B", 2, median_bytes_per_second=300.0, percent_of_peers=100.0),
    OsdResult(3, "Beta-2"),
]


def test_results_are_searched(store: Store) -> None:
    number = put_round(store, a_round(), PLACED).id
    rows: list[tuple[str, list[int]]] = [
        ("osd.1", [10]),  # an OSD is searched by its name
        ("BETA", [2, 3]),
        ("ssd", [2]),
        ("osd.", [10, 2, 3]),
        ("%", []),
        ("\ud800", []),  # cannot be stored
        ("nix", []),
    ]
    for search, osds in rows:
        results, total = store.results(number, search=search)
        assert ([result.osd for result in results], total) == (osds, len(osds))
        assert store.results(number, 1, search=search)[1] == len(osds)


def test_results_are_sorted(store: Store) -> None:
    number = put_round(store, a_round(), PLACED).id
    rows: list[tuple[str, list[int]]] = [
        ("osd", [2, 3, 10]),
        ("-osd", [10, 3, 2]),
        ("+class", [10, 2, 3]),
        ("-class", [2, 10, 3]),  # no value is last
        ("-median_bytes_per_second", [2, 10, 3]),
        ("host", [3, 10, 2]),
    ]
    for sort, osds in rows:
        assert [result.osd for result in store.results(number, sort=sort)[0]] == osds


# --- an OSD over rounds ----------------------------------------------------------------------


def test_history_has_the_ended_rounds_newest_first(store: Store) -> None:
    first = _ended(store, {0: 100.0, 1: 90.0})
    second = _ended(store, {0: 80.0}, state=RoundState.ABORTED)
    third = _ended(store, {0: None, 1: 70.0}, state=RoundState.FAILED)
    put_round(store, a_round(state=RoundState.RUNNING, key="now"), ROWS)
    history = store.history(0)
    assert [line for line, _ in history] == [third.line, second.line, first.line]
    assert [result.median_bytes_per_second for _, result in history] == [None, 80 * MIB, 100 * MIB]
    assert [round_.id for round_, _ in store.history(1)] == [third.id, first.id]
    assert [round_.id for round_, _ in store.history(0, limit=2)] == [third.id, second.id]
    assert store.history(9) == []


def test_the_past_of_a_profile_newest_first_in_pieces(store: Store) -> None:
    rounds = [_ended(store, {0: 100.0, 1: 90.0}) for _ in range(5)]
    aborted = _ended(store, {0: 80.0}, state=RoundState.ABORTED)
    _ended(store, {0: 20.0}, profile="osd-iops")
    put_round(store, a_round(state=RoundState.RUNNING, key="now"), ROWS)
    newest = store.past("osd-throughput", 2)
    assert newest == [store.round(aborted.id), store.round(rounds[4].id)]
    assert newest[0].plan.osds == (0,)  # with its waves
    rest = store.past("osd-throughput", 50, before=newest[-1].id)
    assert [round_.id for round_ in rest] == [round_.id for round_ in rounds[3::-1]]
    assert store.past("osd-throughput", 2, before=rounds[0].id) == []
    assert store.past("osd-balanced", 2) == []


def test_a_profile_has_one_baseline(store: Store) -> None:
    first, second = _ended(store, {0: 100.0}), _ended(store, {0: 90.0})
    iops = _ended(store, {0: 20.0}, profile="osd-iops")
    assert store.baselines() == []
    store.set_baseline(first.id, BEGAN)
    store.set_baseline(iops.id, BEGAN + 1)
    assert store.baselines() == [
        Baseline(iops.line, BEGAN + 1),
        Baseline(first.line, BEGAN),
    ]
    for _ in range(2):
        store.set_baseline(second.id, BEGAN + 2)
        assert store.baselines()[1:] == [Baseline(second.line, BEGAN + 2)]


def test_a_removed_round_takes_its_baseline_along(store: Store) -> None:
    kept, gone = _ended(store, {0: 20.0}, profile="osd-iops"), _ended(store, {0: 100.0})
    for round_ in (kept, gone):
        store.set_baseline(round_.id, BEGAN)
    store.remove_round(gone.id)
    assert store.baselines() == [Baseline(kept.line, BEGAN)]
    with pytest.raises(NotFound):
        store.set_baseline(gone.id, BEGAN)


MEASURED = st.dictionaries(
    st.integers(0, 3), st.one_of(st.none(), st.floats(1.0, 100.0)), min_size=1
)
STATES = st.sampled_from([RoundState.DONE, RoundState.ABORTED, RoundState.RUNNING])


@settings(max_examples=60)
@given(
    st.lists(
        st.one_of(
            st.tuples(MEASURED, st.sampled_from(["osd-throughput", "osd-iops"]), STATES),
            st.integers(0, 5),
        ),
        max_size=8,
    )
)
def test_the_latest_are_those_that_a_search_would_find(
    steps: list[object],
) -> None:
    store = memory_store()
    there: dict[int, tuple[Round, dict[int, OsdResult]]] = {}
    for step in steps:
        if isinstance(step, tuple):
            round_ = _ended(store, *step)
            there[round_.id] = (round_, {row.osd: row for row in store.results(round_.id)[0]})
        elif isinstance(step, int) and step < len(there):
            number = sorted(there)[step]
            store.remove_round(number)
            del there[number]
    expected = {
        (osd, round_.profile): (round_.line, result)
        for _, (round_, results) in sorted(there.items())
        for osd, result in results.items()
        if round_.state.ended and result.median_bytes_per_second is not None
    }
    assert store.latest() == expected
    store.close()


# --- the store itself ------------------------------------------------------------------------


def test_what_a_round_may_write_is_booked_in_full(store: Store) -> None:
    plan = a_plan([[0, 1]], repeats=3)
    put_round(store, a_round(plan, key=str(next(KEYS)), created_at=BEGAN), ROWS[:2])
    assert store.wear().written(BEGAN) == plan.bytes_by_osd(plan.most)
    assert store.wear().written(BEGAN)[0] == 3 * (1 << 30)


def test_bookings_of_a_day_ago_go_with_the_next(store: Store) -> None:
    for at in (0.0, 1.0, DAY):
        draft = a_round(a_plan([[0]]), key=str(next(KEYS)), created_at=BEGAN + at)
        put_round(store, draft, ROWS[:1])
    assert sorted(one.at - BEGAN for one in store.wear().rounds) == [1.0, DAY]


def test_what_a_round_really_wrote_replaces_its_booking_only(store: Store) -> None:
    plan = a_plan([[0, 1]], repeats=3)
    booked = plan.bytes_by_osd(plan.most)[0]
    first, second = (
        store.add_round(a_round(plan, key=key, created_at=BEGAN), some_osds(2)) for key in "ab"
    )
    ended = replace(first, state=RoundState.DONE, ended_at=BEGAN + 60)
    store.end_round(ended, [], written={0: 12})
    # of osd.1 nobody knows what was written
    assert {one.round: (one.at, one.by_osd) for one in store.wear().rounds} == {
        first.token: (BEGAN + 60, {0: 12, 1: booked}),
        second.token: (BEGAN, {0: booked, 1: booked}),
    }


def test_a_new_round_has_a_result_without_figures_of_each_osd(store: Store) -> None:
    osds = [an_osd(4, "host-1", device_class="ssd", model="ACME_9"), an_osd(7, "host-2")]
    round_ = store.add_round(a_round(a_plan([[4, 7]])), osds)
    found, _ = store.results(round_.id)
    assert found == [OsdResult(4, "host-1", "ssd", "ACME_9"), OsdResult(7, "host-2", "hdd")]
    # tried again, it keeps what was measured meanwhile
    measured = a_result(4)
    store.end_round(replace(round_, state=RoundState.RUNNING), [measured])
    store.add_round(a_round(a_plan([[4, 7]])), osds)
    assert store.results(round_.id)[0][0] == measured
