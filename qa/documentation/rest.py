"""The page of the REST API, made from the table of questions and the schema of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from documentation.rights import by_route
from perf_bench.answers.question import ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS

_TYPES = {
    ArgumentKind.NUMBER: "integer",
    ArgumentKind.FLAG: "boolean",
    ArgumentKind.ROUND_ID: "integer",
    ArgumentKind.FINDING_ID: "integer",
    ArgumentKind.OSD_ID: "integer",
}


def page(schema: Mapping[str, Any]) -> str:
    """Routes and answers, as Markdown."""
    routes = "\n".join(_route(question, schema) for question in QUESTIONS if question.rest)
    answers = "\n".join(_answers(schema))
    return f"## Routes\n\n{routes}\n## Answers\n\n{answers}"


def _route(question: Question, schema: Mapping[str, Any]) -> str:
    rights = ", ".join(f"`{right}`" for right in by_route()[question.rest])
    rows = "".join(_row(question))
    table = f"| argument | type | |\n| --- | --- | --- |\n{rows}\n" if rows else ""
    command = (
        f" Command: [{question.name}](commands.md#{slug(question.name)})."
        if question.is_command
        else ""
    )
    return (
        f"### {question.rest}\n\n{question.help}. Needs {rights}. {_answer(question, schema)}"
        f"{command}\n\n{table}"
    )


def slug(heading: str) -> str:
    """The anchor of a heading, as in all Markdown."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _row(question: Question) -> Iterator[str]:
    path = question.rest.split()[1].split("/")
    for argument in question.arguments:
        name = argument.public_name
        if argument.rest in (Use.NEEDED, Use.OPTIONAL):
            need = "in the path" if name.upper() in path else ""
            need = need or ("needed" if argument.rest is Use.NEEDED else "")
            yield f"| `{name}` | {_TYPES.get(argument.kind, 'string')} | {need} |\n"


def _answer(question: Question, schema: Mapping[str, Any]) -> str:
    answer = schema["x-answers"].get(question.rest)
    if answer is None:
        return "No content."
    name = answer.strip("[]")
    link = f"[{name}](#{name.lower()})"
    return f"Answers with a list of {link}." if answer[0] == "[" else f"Answers with {link}."


def _answers(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, one in sorted(schema["$defs"].items()):
        if "properties" not in one:
            yield f"### {name}\n\n{_type(one)}. {one.get('description', '')}".rstrip() + "\n"
            continue
        lines = ["| key | type | |", "| --- | --- | --- |"]
        lines += [
            f"| `{key}` | {_type(value)} | {_cell(value.get('description', ''))} |"
            for key, value in one["properties"].items()
        ]
        yield f"### {name}\n\n{one.get('description', '')}\n\n" + "\n".join(lines) + "\n"


def _type(one: Any) -> str:
    """A schema's type in a word or two."""
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in one:
        return " or ".join(_type(each) for each in one["anyOf"])
    if "enum" in one:
        return ", ".join(f"`{json.dumps(each)}`" for each in one["enum"])
    kinds = one.get("type", "any")
    text = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "items" in one:
        return f"{text} of {_type(one['items'])}"
    return text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
