"""Every sentence of the module is in the list that the tab's translations are held to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import golden
from documentation import sentences, tab_words

_NAME = re.compile(r"\{(\w+)")


def test_the_list_is_current(root: Path) -> None:
    file, text = root / sentences.FILE, sentences.written(root)
    if golden.writing():
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def test_the_list_of_fixed_texts_is_current(root: Path) -> None:
    file, text = root / tab_words.FILE, tab_words.written()
    if golden.writing():
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def test_every_sentence_gets_the_values_that_it_names(root: Path) -> None:
    seen = 0
    for file, call in sentences.all_calls(root):
        _, template = sentences.literals(call, file)
        assert set(_NAME.findall(template)) == _given(call), f"{file}:{call.lineno}"
        seen += 1
    assert seen > 400


def _given(call: ast.Call) -> set[str]:
    given = {keyword.arg for keyword in call.keywords if keyword.arg}
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Dict) and keyword.arg is None:
            given |= {str(ast.literal_eval(key)) for key in keyword.value.keys if key}
    return given


@pytest.mark.parametrize(
    "call",
    ['say(code, "text")', 'say("code", f"text {1}")', 'say("code")', 'say("a", "b", "c")'],
)
def test_what_is_no_literal_is_refused(call: str) -> None:
    tree = ast.parse(f"from .said import say\n{call}")
    (found,) = sentences.calls(tree)
    with pytest.raises(ValueError, match="must be literals"):
        sentences.literals(found, Path("x.py"))


def test_another_function_of_that_name_is_none_of_them() -> None:
    assert not list(sentences.calls(ast.parse("from .display import say\nsay('a')")))
