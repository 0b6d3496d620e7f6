"""Records to rows and back, for any record."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.database import memory_store
from nouns import a_round, put_round
from perf_bench.model.plan import Phase, Plan, Sample, Step
from perf_bench.model.round import (
    Conclusion,
    OsdResult,
    Round,
    RoundState,
    Verdict,
)
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
some = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


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
