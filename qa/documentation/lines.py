"""Command lines that the documents show: found, and held against the tables they come from."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from perf_bench.answers.question import Argument, ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS
from perf_bench.tool.main import UsageError, command_line

MODULE, TOOL = "ceph perf-bench", "ceph-perf-bench"
_FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(`+)((?:ceph|make|qa)[ /-].+?)\1", re.DOTALL)
_PROMPT = re.compile(r"^\s*(?:[#$] )?(?=(?:ceph|make|qa)[ /-])")
_USAGE = re.compile(r"\[|…|\.\.\.|\||\bOPTION\b")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9_]*(?:,[A-Z]+)*")
_NUMBERS = (ArgumentKind.ROUND_ID, ArgumentKind.FINDING_ID, ArgumentKind.NUMBER)


class Line(NamedTuple):
    """A command line and the document that has it; ``inline`` if it is in a sentence."""

    document: str
    text: str
    inline: bool = False

    @property
    def words(self) -> list[str]:
        """Up to a comment, a pipe or a redirection. Raises ValueError for open quotes."""
        lexer = shlex.shlex(self.text, posix=True, punctuation_chars="|><;")
        lexer.whitespace_split = True
        words = []
        for word in lexer:
            if set(word) <= set("|><;&"):
                break
            words.append(word)
        return words


def documents(root: Path) -> dict[str, str]:
    """The texts of the documents that show commands. The changelog speaks of versions before."""
    pages = [file for file in (root / "docs").rglob("*.*") if file.suffix in {".md", ".rst"}]
    files = sorted([root / "README.md", *pages])
    return {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}


def lines(document: str, text: str) -> Iterator[Line]:
    """All command lines of ours in a Markdown or reStructuredText document."""
    joined = re.sub(r"\\\n\s*", "", text)
    for block in _FENCE.finditer(joined) if document.endswith(".md") else ():
        for line in block.group().splitlines():
            if _PROMPT.match(line):
                yield Line(document, _PROMPT.sub("", line))
    rest = _FENCE.sub("", joined)
    for found in _INLINE.finditer(rest):
        yield Line(document, " ".join(found[2].replace("\\|", "|").split()), inline=True)
    if document.endswith(".rst"):
        for line in joined.splitlines():
            if line.startswith("   ") and _PROMPT.match(line):
                yield Line(document, _PROMPT.sub("", line))


def problem(line: Line) -> str:
    """What is wrong with a line; empty if nothing is, or it is no command of ours."""
    try:
        if line.text.startswith(f"{MODULE} ") and line.words[2:] != ["…"]:
            _parse(line)
        elif line.text.startswith(f"{TOOL} ") and not _USAGE.search(line.text):
            _parse_tool(line)
    except ValueError as error:
        return f"{line.document}: {line.text}: {error}"
    return ""


def _parse(line: Line) -> None:
    """Hold it against the table of questions. Raises ValueError for what that has not.

    Of a line that is not to be typed (with brackets or dots, or a name in a sentence), only the
    command.
    """
    question, rest = _question(line.words[2:])
    needs = any(one.cli is Use.NEEDED for one in question.arguments)
    if not _USAGE.search(line.text) and not (line.inline and needs and not rest):
        _values(question, rest)


def _question(words: Sequence[str]) -> tuple[Question, list[str]]:
    for length in (2, 1):
        name = " ".join(words[:length])
        for question in QUESTIONS:
            if question.is_command and question.name == name:
                return question, list(words[length:])
    raise ValueError("no such command")


def _values(question: Question, words: list[str]) -> None:
    known = {one.name: one for one in question.arguments if one.cli is not Use.ABSENT}
    values: dict[str, str] = {}
    by_place: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            by_place.append(word)
            continue
        name, equals, value = word.lstrip("-").replace("-", "_", 1).partition("=")
        name = name.replace("-", "_")
        if name in ("format", "f"):
            value = value if equals else words.pop(0)
            continue
        argument = _option(known, word, name)
        if argument.kind is ArgumentKind.FLAG:
            value = "true"
        elif not equals:
            if not words:
                raise ValueError(f"{word} has no value")
            value = words.pop(0)
        values[argument.name] = _checked(argument, value)
    places = [one for one in known.values() if one.kind not in _NOT_BY_PLACE]
    for value in by_place:
        free = [one for one in places if one.name not in values]
        if not free:
            raise ValueError(f"'{value}' is too much")
        values[free[0].name] = _checked(free[0], value)
    missing = [
        one.name for one in known.values() if one.cli is Use.NEEDED and one.name not in values
    ]
    if missing:
        raise ValueError(f"{', '.join(missing)} missing")


_NOT_BY_PLACE = (ArgumentKind.FLAG, ArgumentKind.FILE)


def _option(known: dict[str, Argument], word: str, name: str) -> Argument:
    if word == "-i":
        files = [one for one in known.values() if one.kind is ArgumentKind.FILE]
        if files:
            return files[0]
    if name not in known:
        raise ValueError(f"no option {word}")
    if word.startswith(("--host", "--for")):
        raise ValueError(f"the ceph client takes {word} for itself")
    return known[name]


def _checked(argument: Argument, value: str) -> str:
    if argument.kind in _NUMBERS and not (value.isdigit() or _PLACEHOLDER.fullmatch(value)):
        raise ValueError(f"{argument.name} is no number: {value}")
    return value


def _parse_tool(line: Line) -> None:
    """Let the tool's own parser read it, with numbers for placeholders."""
    words = ["1" if _PLACEHOLDER.fullmatch(word) else word for word in line.words[1:]]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            command_line().parse_args(words)
        except (UsageError, argparse.ArgumentTypeError) as error:
            raise ValueError(str(error)) from error
        except SystemExit:  # --help, --version
            return


def options(text: str) -> set[str]:
    """The module's options that commands of a text name."""
    found = re.findall(r"config (?:set|get|rm|help)(?: mgr(?:\.\w+)?)? mgr/perf_bench/(\w+)", text)
    return set(found) - _CEPHS_OWN


# Options that every module has.
_CEPHS_OWN = {"log_level"}


def targets(text: str) -> set[str]:
    """The targets of make in a text's code."""
    return set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, re.MULTILINE))
