"""An error quotes what it was given, and is short and printable all the same.

Found by `make reliability`: arguments may be a megabyte long.
"""

from __future__ import annotations

from perf_bench.answers import dashboard
from perf_bench.answers.api import Api
from perf_bench.answers.command import dispatch
from perf_bench.model.phrases import LONGEST_SENTENCE, sentence
from roles import ADMINISTRATOR

LONG = "x" * (1 << 20)


def test_a_long_one_keeps_its_beginning_and_its_end() -> None:
    for letter in ["x", "\x1b", "\U000e0001", "\ud800", "\n"]:
        shown = sentence(f"no profile '{letter * (1 << 20)}': see 'profile ls'")
        assert len(shown) <= LONGEST_SENTENCE
        assert shown.replace("\n", "").isprintable()
        assert shown.startswith("no profile '")
        assert shown.endswith("': see 'profile ls'")
        assert " [...] " in shown


def test_a_command_answers_with_a_short_one(api: Api) -> None:
    cases: list[dict[str, str]] = [
        {"prefix": "perf-bench profile show", "name": LONG},
        {"prefix": "perf-bench enclosure show", "id": LONG},
        {"prefix": "perf-bench round ls", "state": LONG},
        {"prefix": "perf-bench round start", "profile": "osd-throughput", "osds": f"host={LONG}"},
        {"prefix": LONG},
    ]
    for order in cases:
        status, _, error = dispatch(api, order)
        assert status < 0
        assert 0 < len(error) <= LONGEST_SENTENCE


def test_the_dashboard_gets_a_short_one(api: Api) -> None:
    cases: list[tuple[str, dict[str, object]]] = [
        (LONG, {}),
        ("profile_ls", {LONG: 1}),
        ("profile_ls", {"sort": LONG}),
        ("schedule_rm", {"name": LONG}),
        ("finding_ls", {"a\x1b\nb": 1}),
    ]
    for question, arguments in cases:
        error = dashboard.answer(api, question, arguments, ADMINISTRATOR)["error"]
        assert 0 < len(error["message"]) <= LONGEST_SENTENCE
        assert len(error["field"]) <= LONGEST_SENTENCE
        assert error["message"].replace("\n", "").isprintable()
