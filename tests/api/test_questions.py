"""The table of questions: complete, without contradictions, and as the schema has it."""

from __future__ import annotations

from perf_bench.answers.question import ArgumentKind, Use
from perf_bench.answers.questions import QUESTIONS

ASKED_BY_REST = [question for question in QUESTIONS if question.rest]
_PAGE = {"limit", "offset", "search", "sort"}


def test_names_and_routes_are_given_once() -> None:
    for given in (
        [question.name for question in QUESTIONS],
        [question.rest_name for question in QUESTIONS],
        [question.rest for question in ASKED_BY_REST],
    ):
        assert sorted(given) == sorted(set(given))


def test_somebody_can_ask_it() -> None:
    for question in QUESTIONS:
        assert question.is_command or question.rest
        assert question.help
        if not question.is_command:
            assert not question.in_text


def test_its_arguments() -> None:
    for question in QUESTIONS:
        for names in (
            [one.name for one in question.arguments],
            [one.public_name for one in question.arguments],
        ):
            assert len(names) == len(set(names))
        # Ceph takes positional arguments in this order, and needed ones only before others.
        uses = [
            one.cli
            for one in question.arguments
            if one.cli is not Use.ABSENT and one.kind is not ArgumentKind.FILE
        ]
        assert uses == sorted(uses, key=[Use.NEEDED, Use.OPTIONAL].index)
        assert sum(one.kind is ArgumentKind.FILE for one in question.arguments) <= 1


def test_rights_and_pages_go_with_the_route() -> None:
    for question in ASKED_BY_REST:
        method = question.rest.split()[0]
        assert question.writes is (method != "GET")
        pages = question.paged or question.listed is not None
        asked = {one.public_name for one in question.arguments if one.rest is not Use.ABSENT}
        if not question.rows:  # a page of its OSDs, beside all else
            assert pages is (asked >= _PAGE)


def test_the_cli_pages_what_is_paged_for_it() -> None:
    for question in ASKED_BY_REST:
        typed = {one.name for one in question.arguments if one.cli is not Use.ABSENT}
        if question.is_command and question.paged and question.rows != "osds":
            assert typed >= {"limit", "offset"}
        if question.listed and not question.paged:
            assert not typed & _PAGE
