"""Records to rows and back, for any record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nouns import a_round, put_round
from perf_bench.model.bench import Sample, Step
from perf_bench.model.plan import Phase, Plan
from perf_bench.model.round import (
    Conclusion,
    OsdResult,
    Round,
    RoundState,
    Verdict,
)
from perf_bench.model.said import packed, say
from perf_bench.store.memory import memory_store
from perf_bench.store.sqlite import Store

# What SQLite's integers hold. Texts are those that UTF-8 can hold.
INTS = st.integers(0, 2**62)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), INTS, FLOATS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=4,
)
FACTS = st.dictionaries(TEXTS, JSON, max_size=2)
STEPS = st.builds(Step, TEXTS, INTS, INTS, INTS, INTS)
SAMPLES = st.builds(
    Sample,
    INTS,
    TEXTS,
    INTS,
    INTS,
    FLOATS,
    FLOATS,
    INTS,
    INTS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.booleans(),
    st.none() | TEXTS,
)
RESULTS = st.builds(
    OsdResult,
    INTS,
    TEXTS,
    st.none() | TEXTS,
    st.none() | TEXTS,
    INTS,
    FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
)
PHASES = st.builds(
    Phase,
    STEPS,
    st.lists(st.lists(INTS, max_size=2).map(tuple), max_size=2).map(tuple),
    TEXTS,
    FLOATS,
)
PLANS = st.builds(
    Plan,
    TEXTS,
    st.lists(PHASES, min_size=1, max_size=2).map(tuple),
    INTS,
    FLOATS,
    TEXTS,
    st.lists(TEXTS, max_size=2).map(tuple),
)
ROUNDS = st.builds(
    Round,
    st.just(0),
    TEXTS,
    TEXTS,
    st.sampled_from(RoundState),
    PLANS,
    TEXTS,
    TEXTS,
    FLOATS,
    st.none() | FLOATS,
    st.none() | FLOATS,
    st.none() | st.sampled_from(Verdict),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.lists(st.builds(Conclusion, TEXTS, TEXTS, FACTS), max_size=2).map(tuple),
    FACTS,
    FACTS,
    INTS,
)
# One store for all examples: each takes away what it brought.
some = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def store() -> Iterator[Store]:
    made = memory_store()
    yield made
    made.close()


@some
@given(ROUNDS)
def test_rounds(store: Store, round_: Round) -> None:
    stored = store.add_round(round_, [])
    found = store.round(stored.id)
    store.remove_round(stored.id)
    assert found == stored
    assert found == Round(**{**vars(round_), "id": stored.id})


@some
@given(SAMPLES)
def test_samples(store: Store, sample: Sample) -> None:
    number = store.add_round(a_round(), []).id
    store.add_samples(number, [sample])
    found = store.samples(number)
    store.remove_round(number)
    assert found == [sample]
    assert type(found[0].valid) is bool


@some
@given(RESULTS)
def test_results(store: Store, result: OsdResult) -> None:
    number = put_round(store, a_round(), [result]).id
    found, _ = store.results(number)
    store.remove_round(number)
    assert found == [result]


def test_a_round_keeps_the_codes_and_the_values_of_its_sentences() -> None:
    reasons = ("as a daemon says it", say("x", "CV {cv:.1f} %", cv=1.25))
    conclusion = Conclusion("slow-osd", say("y", "osd.{osd} is slow", osd=3), {"osd": 3})
    round_ = replace(a_round(), reasons=reasons, conclusions=(conclusion,), summary={"osds": 1})
    store = memory_store()
    number = store.add_round(round_, ()).id
    found = store.round(number)
    assert [packed(one) for one in found.reasons] == [None, packed(reasons[1])]
    assert packed(found.conclusions[0].message) == packed(conclusion.message)
    assert found.summary == {"osds": 1}
    assert store.rounds()[0][0].summary == {"osds": 1}


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_codes_that_are_not_of_these_sentences_are_none(more: int) -> None:
    """As of a version that stored others: one too many or too few."""
    reasons = (say("x", "one"), say("y", "two"))
    store = memory_store()
    round_ = replace(a_round(), reasons=reasons)
    number = store.add_round(round_, ()).id
    codes = [packed(one) for one in (*reasons, say("z", "three"))][: 2 + more]
    summary = json.dumps({"said": codes})
    store._database.write(lambda db: db.execute("UPDATE rounds SET summary = ?", (summary,)))
    found = [packed(one) for one in store.round(number).reasons]
    assert found == ([packed(one) for one in reasons] if more == 0 else [None, None])
