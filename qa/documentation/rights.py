"""What is written into docs/rights.md and the schema from the table of questions.

`tests/api/test_rights.py` compares both with the files, and writes the page's tables anew when
WRITE_GOLDEN is set.
"""

from __future__ import annotations

import re

from perf_bench.answers.question import CONFIG_READ, CONFIG_UPDATE, Question, Right
from perf_bench.answers.questions import QUESTIONS

_TABLE = re.compile(
    r"(<!-- (\w+): made from answers/questions -->\n).*?(<!-- end -->\n)", re.DOTALL
)

# What is different for a user without the right.
_WITHOUT = {
    CONFIG_UPDATE: "the round does not raise `osd_bench_*` options",
    CONFIG_READ: "changes of the configuration are not told",
}


def by_route() -> dict[str, list[str]]:
    """The rights that each route always needs, as `osd create`: the schema's `x-rights`."""
    return {
        question.rest: [_word(need.right) for need in question.rights if need.when is None]
        for question in QUESTIONS
        if question.rest
    }


def rewritten(page: str) -> str:
    """The page with its tables made anew."""
    tables = {"routes": _routes(), "commands": _commands()}
    return _TABLE.sub(lambda found: f"{found[1]}{tables[found[2]]}{found[3]}", page)


def _word(right: Right) -> str:
    return f"{right.scope} {right.permission}"


def _routes() -> str:
    lines = ["| endpoint | always | depending on the arguments |", "| --- | --- | --- |"]
    for question in QUESTIONS:
        if question.rest:
            always = ", ".join(f"`{word}`" for word in by_route()[question.rest])
            lines.append(f"| `{question.rest}` | {always} | {_sometimes(question)} |")
    return "\n".join(lines) + "\n"


def _sometimes(question: Question) -> str:
    parts = [
        f"`{_word(need.right)}`: {need.why}" for need in question.rights if need.when is not None
    ]
    parts += [f"`{_word(right)}`: without it {why}" for right, why in _without(question)]
    return "; ".join(parts)


def _without(question: Question) -> list[tuple[Right, str]]:
    return [(right, _WITHOUT[right]) for right in question.without]


def _commands() -> str:
    reading = [one.name for one in QUESTIONS if one.is_command and not one.writes]
    writing = [one.name for one in QUESTIONS if one.is_command and one.writes]
    lines = ["| caps | commands |", "| --- | --- |"]
    for caps, names in (("`r`", reading), ("`rw`", writing)):
        lines.append(f"| {caps} | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines) + "\n"
