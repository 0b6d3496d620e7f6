"""Arguments that nobody in his right mind types: each gets one sentence and changes nothing."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

import pytest

from past import api_of
from perf_bench.answers import command as cli
from perf_bench.answers import dashboard, plans
from perf_bench.answers.api import Api
from perf_bench.answers.question import ArgumentKind, Use
from perf_bench.answers.questions import QUESTIONS
from perf_bench.model.plan import Profile
from roles import ADMINISTRATOR
from stage import Stage

CONTROL = "a\x1b[31mb"
HOSTILE = [
    *(CONTROL, "x\ny", "\u202e", "\ud800", "9" * 400, "999999999w", "=1"),
    *(10**30, 2**63, -1, 1e308, float("nan"), True, [], {}, "0-999999,1-999999,2-999999"),
]
# What a command or question needs besides, so that the hostile argument is looked at.
NEEDED: dict[str, dict[str, Any]] = {
    "schedule add": {"name": "n", "profile": "osd-throughput", "every": "1d"},
    "round start": {"profile": "osd-throughput", "dry_run": True},
    "round import": {"as": "fio"},
    "finding mute": {"id": "1", "for": "1d"},
    "finding ack": {"id": "1", "text": "seen"},
    "round compare": {"a": "1", "b": "2"},
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    stage = Stage(tmp_path_factory.mktemp("store") / "main.db")
    yield api_of(stage)
    stage.close()


def test_no_command_breaks(api: Api) -> None:
    for command in (one for one in QUESTIONS if one.is_command):
        names = [one for one in command.arguments if one.cli is not Use.ABSENT]
        base: dict[str, Any] = {one.name: "1" for one in names if one.cli is Use.NEEDED}
        base.update(NEEDED.get(command.name, {}))
        for argument in names:
            for value in HOSTILE if argument.kind is not ArgumentKind.FILE else ():
                order = {"prefix": f"perf-bench {command.name}", **base, argument.name: value}
                code, out, err = cli.dispatch(api, order, "{}")
                assert code <= 0, order
                assert (out + err).replace("\n", "").isprintable(), order


def test_a_command_lacks_what_it_needs(api: Api) -> None:
    code, _, err = cli.dispatch(api, {"prefix": "perf-bench round show"})
    assert (code, err) == (-errno.EINVAL, "'id' is needed")


def test_no_question_breaks(api: Api) -> None:
    for question in (one for one in QUESTIONS if one.rest):
        names = [one.public_name for one in question.arguments if one.rest is not Use.ABSENT]
        base = NEEDED.get(question.name, {"id": 1})
        base = {name: value for name, value in base.items() if name in names}
        for name in names:
            for value in HOSTILE:
                asked = {**base, name: value}
                reply = dashboard.answer(api, question.rest_name, asked, ADMINISTRATOR)
                assert "answer" in reply or reply["error"]["message"].isprintable(), asked


@pytest.mark.parametrize(
    ("words", "arguments", "says"),
    [
        ("osd ls", {"osds": f"host={CONTROL}"}, "osds must be a text without control characters"),
        ("schedule add", {"osds": CONTROL}, "osds must be a text without control characters"),
        ("schedule add", {"every": "999999999w"}, "'999999999w' is longer than 100 years"),
        ("round ls", {"limit": 2**63}, "limit must be a whole number of at most 64 bits"),
        ("round ls", {"limit": "many"}, "limit must be a whole number"),
        ("trace export", {"since": "999999999w"}, "'999999999w' is longer than 100 years"),
        ("osd ls", {"osds": "0-999999,1-999999,2-999999"}, "--osds selects by too many"),
        ("osd ls", {"osds": "&".join(["0-999999"] * 9)}, "--osds selects by too many"),
    ],
)
def test_the_sentence(words: str, arguments: dict[str, Any], says: str, api: Api) -> None:
    order = {"prefix": f"perf-bench {words}", **NEEDED.get(words, {}), **arguments}
    code, out, err = cli.dispatch(api, order)
    assert (code, out) == (-errno.EINVAL, "")
    assert err.startswith(says)


@pytest.mark.parametrize("question", ["round_show", "round_rm", "round_abort", "finding_show"])
def test_an_id_of_more_than_64_bits_is_none_there_is(question: str, api: Api) -> None:
    error = dashboard.answer(api, question, {"id": 10**30}, ADMINISTRATOR)["error"]
    assert error["errno"] == errno.ENOENT
    assert "ID is a number" in error["message"]


def test_what_a_store_or_daemon_names_is_printed_harmlessly(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "\x1b]0;owned\x07\u202e"
    monkeypatch.setattr(plans, "PROFILES", {odd: Profile(odd, "osd", "", (), 1, 1)})
    code, out, _ = cli.dispatch(api, {"prefix": "perf-bench profile ls"})
    assert code == 0
    assert "\\x1b]0;owned\\x07\\u202e" in out
