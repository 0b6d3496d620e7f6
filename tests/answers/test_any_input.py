"""Whatever a command or a request brings is answered by strict JSON, or refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from past import Past
from perf_bench.answers import dashboard
from perf_bench.answers.command import dispatch
from perf_bench.answers.question import Question, Use
from perf_bench.answers.questions import QUESTIONS
from perf_bench.model.phrases import LONGEST_SENTENCE
from roles import ADMINISTRATOR

# They end the store that all these tests read, or start rounds.
LEFT_OUT = {"store reset", "store restore", "store backup", "round start"}
ASKED = [question for question in QUESTIONS if question.name not in LEFT_OUT]

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["1", "-1", "0", "1e999", "all", "osd.1", "class=hdd", "1d", "10:00-12:00", "*"]
    ),
)
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
DOCUMENTS = st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))


def _sentence(text: str) -> None:
    assert text.strip()
    assert len(text) <= LONGEST_SENTENCE
    assert text.replace("\n", "").isprintable()


def _strict(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def _values(question: Question, values: st.SearchStrategy[Any], way: str) -> Any:
    """Some of its arguments, each with any value."""
    names = {
        one.public_name if way == "rest" else one.name
        for one in question.arguments
        if getattr(one, way) is not Use.ABSENT
    }
    return st.dictionaries(st.sampled_from(sorted(names)), values) if names else st.just({})


@given(data=st.data())
def test_requests(past: Past, data: st.DataObject) -> None:
    question = data.draw(st.sampled_from([one for one in ASKED if one.rest]))
    given_ = data.draw(_values(question, DOCUMENTS, "rest"))
    reply = dashboard.answer(past.api, question.rest_name, given_, ADMINISTRATOR)
    json.dumps(reply, allow_nan=False).encode()
    if "error" in reply:
        _sentence(reply["error"]["message"])


@given(data=st.data())
def test_commands(past: Past, data: st.DataObject) -> None:
    question = data.draw(st.sampled_from([one for one in ASKED if one.is_command]))
    given_ = data.draw(_values(question, VALUES, "cli"))
    order = {**given_, "prefix": f"perf-bench {question.name}"}
    as_ = data.draw(st.sampled_from(["plain", "json"]))
    status, out, error = dispatch(past.api, {**order, "format": as_}, data.draw(TEXTS))
    if status:
        _sentence(error)
    elif as_ == "json" and out.lstrip()[:1] in ("{", "["):
        json.loads(out, parse_constant=_strict)
