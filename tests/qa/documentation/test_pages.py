"""The pages that are made from the code are those in docs/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import golden
from documentation import (
    answer_schema,
    causes,
    commands,
    controllers,
    doctor,
    marks,
    options,
    rest,
    tool,
    words,
)
from fakes.ceph import RELEASES, MgrWorld, installed
from perf_bench.answers.questions import QUESTIONS
from perf_bench.model.finding_kinds import KINDS


def commands_page(_root: Path) -> str:
    return commands.page()


def options_page(_root: Path) -> str:
    with installed(MgrWorld.captured(RELEASES[0])):
        from perf_bench.ceph.options import options as of_module  # noqa: PLC0415

        return options.page(of_module())


def tool_page(_root: Path) -> str:
    return tool.page()


def doctor_page(_root: Path) -> str:
    return doctor.page()


def rest_page(_root: Path) -> str:
    return rest.page(answer_schema.schema())


PAGES = {
    "commands": commands_page,
    "doctor": doctor_page,
    "options": options_page,
    "tool": tool_page,
    "rest": rest_page,
}


_TOOL_COMMANDS = (
    *("install", "check", "run", "wait", "restore"),
    *("facts", "worker", "service", "monitoring"),
)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_says(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    make: Callable[[Path], str] = PAGES[name]
    file = root / "docs" / f"{name}.md"
    text = file.read_text(encoding="utf-8")
    wanted = marks.rewritten(text, name, make(root))
    if golden.writing():
        file.write_text(wanted, encoding="utf-8")
    # WRITE_GOLDEN=1 writes it anew.
    assert text == wanted


def test_the_schema_is_what_the_answers_say(root: Path) -> None:
    file = root / answer_schema.FILE
    wanted = json.dumps(answer_schema.schema(), indent=1, ensure_ascii=False) + "\n"
    if golden.writing():
        file.write_text(wanted, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == wanted, "write it with WRITE_GOLDEN"


def test_the_routes_of_the_dashboard_are_those_of_the_table(root: Path) -> None:
    file = root / controllers.FILE
    if golden.writing():
        file.write_text(controllers.page(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == controllers.page(), "write it with WRITE_GOLDEN"


def test_every_answer_has_its_class() -> None:
    schema = answer_schema.schema()
    assert {noun.strip("[]") for noun in schema["x-answers"].values()} <= schema["$defs"].keys()


def test_every_command_is_on_the_page_once() -> None:
    text = commands.page()
    for question in QUESTIONS:
        heading = f"\n### {question.name}\n"
        assert text.count(heading) == (1 if question.is_command else 0), question.name


def test_the_page_of_the_tool_has_every_command() -> None:
    text = tool.page()
    for name in _TOOL_COMMANDS:
        assert f"\n## {name}\n" in text
    assert "- `--fail-on VERDICTS`: " in text
    assert "- `-c`, `--conf CONF`: " in text


def test_every_argument_has_words_and_no_words_are_left_over() -> None:
    for question in (one for one in QUESTIONS if one.is_command):
        for argument in commands.typed(question):
            assert words.words_of(question, argument).meaning, (question.name, argument.name)
    assert words.unused(QUESTIONS) == set()


def test_an_option_in_no_part_is_seen() -> None:
    with pytest.raises(ValueError, match="new_one"):
        options.page([{"name": "new_one", "default": 1, "desc": ""}])


def test_every_health_check_has_its_usual_causes() -> None:
    assert causes.CAUSES.keys() == {kind.code for kind in KINDS}


def test_only_the_part_of_that_name_is_made_anew() -> None:
    page = (
        "a\n<!-- x: made from y -->\nold\n<!-- end -->\n<!-- z: made from y -->\n<!-- end -->\nb\n"
    )
    assert marks.rewritten(page, "x", "new\n") == page.replace("old\n", "\nnew\n\n")
    with pytest.raises(ValueError, match="no part 'q'"):
        marks.rewritten(page, "q", "")


def test_the_pictures_have_the_navigation_of_today(root: Path) -> None:
    """`make pictures` takes them anew."""
    pages = (root / "dashboard_plugin/frontend/src/app/frame/pages.ts").read_text()
    shown = (root / "docs/pictures/navigation.txt").read_text().splitlines()
    assert shown == re.findall(r"nav: \{ label: '([^']+)' \}", pages)
