"""Why nothing was measured: sentences that keep their code where only texts are passed on."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.model import unmeasured
from perf_bench.model.bench import OUT_OF_REACH
from perf_bench.model.said import Said, packed


@pytest.mark.parametrize(
    "said",
    [
        unmeasured.is_down(3),
        unmeasured.went_down(3),
        unmeasured.gave_no_answer(3, 60.4),
        unmeasured.not_asked_again(3),
        unmeasured.is_out_of_reach(3),
        unmeasured.answered(3, "(22) Invalid argument: no (way)"),
        unmeasured.failed(3, "ValueError('a\\nb')"),
        unmeasured.not_storable(3, "an integer (of 70 bits)"),
        unmeasured.too_short(12.3),
        unmeasured.not_measured(),
        unmeasured.not_together(1),
        unmeasured.not_together(4),
        unmeasured.no_operation(10.0),
        unmeasured.stalled(10.0),
        unmeasured.overran(30.0),
        unmeasured.ended_early(),
        unmeasured.rados_failed("error:\nno such pool"),
        unmeasured.rados_unfinished(7, "killed"),
        unmeasured.rados_unknown("hello: 'you'"),
        unmeasured.worker_failed("b", "rados bench failed: no"),
        unmeasured.worker_late("b, c", 20.0),
        unmeasured.worker_ended("b", "node-2"),
        unmeasured.worker_lost("b", "node-2", 10.0),
        unmeasured.mgr_silent(20.0),
    ],
    ids=lambda said: said.code,
)
def test_a_sentence_is_recognized_in_its_text(said: Said) -> None:
    found = unmeasured.recognized(str(said))
    assert isinstance(found, Said)
    assert (found, found.code) == (str(said), said.code)


def test_a_sentence_within_another_keeps_its_code_too() -> None:
    found = unmeasured.recognized("worker b: rados bench failed: (13) Permission denied")
    assert packed(found) == {
        "code": "worker-failed",
        "text": "worker b: rados bench failed: (13) Permission denied",
        "values": {
            "worker": "b",
            "why": {
                "code": "rados-failed",
                "text": "rados bench failed: (13) Permission denied",
                "values": {"words": "(13) Permission denied"},
            },
        },
    }


@pytest.mark.parametrize(
    "text", ["(13) Permission denied", "osd.3 is down and still in", "osd.03 is down", ""]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert not isinstance(unmeasured.recognized(text), Said)
    assert unmeasured.recognized(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"osd.{'9' * 5000} is down",
        f"too short: {'9' * 400} ms, at least 100 ms are needed",
        f"clients still ran {'9' * 400} s too long",
    ],
)
def test_a_number_without_end_is_a_text(text: str) -> None:
    assert not isinstance(unmeasured.recognized(text), Said)


def test_a_text_that_names_workers_in_each_other_ends() -> None:
    text = "worker a: " * 5000 + "x"
    found = unmeasured.recognized(text)
    assert isinstance(found, Said)
    assert found == text
    assert not isinstance(found.values["why"], Said)


def test_a_missing_reason_stays_missing() -> None:
    assert unmeasured.recognized_reason(None) is None


def test_who_is_out_of_reach_is_known_by_the_end_of_the_text() -> None:
    assert unmeasured.is_out_of_reach(3).endswith(OUT_OF_REACH)


@pytest.mark.parametrize(
    ("why", "silence"),
    [
        (None, False),
        ("osd.3 is down", False),
        ("osd.3 answered: osd.3 was not asked again", False),
        ("osd.3 gave no answer within 60 s", True),
        ("osd.3 was not asked again", True),
    ],
)
def test_after_which_a_bench_may_still_run(why: Optional[str], silence: bool) -> None:
    assert unmeasured.is_silence(why) is silence
