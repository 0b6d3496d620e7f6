"""The page of commands, made from the table of questions."""

from __future__ import annotations

from collections.abc import Iterator

from documentation.rest import slug
from documentation.words import NOTES, words_of
from perf_bench.answers.question import Argument, ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS

# The parts of the page: a title, and the first words of the commands in it.
PARTS = (
    ("State", ("status", "problem", "coverage", "doctor")),
    ("Rounds", ("profile", "round", "baseline", "reference", "worker", "schedule", "quiesce")),
    ("OSDs and findings", ("osd", "relief", "finding", "alert", "laggy", "cohort", "mclock")),
    ("Hosts and devices", ("host", "enclosure", "multipath", "crc")),
    ("Database and export", ("store", "report", "metrics", "trace")),
)


def page() -> str:
    """The parts of the page, as Markdown."""
    return "\n".join(_parts())


def signature(question: Question) -> str:
    """The command with all its arguments."""
    words = [f"ceph perf-bench {question.name}"]
    words += [_written(question, argument) for argument in typed(question)]
    return " ".join(words)


def _parts() -> Iterator[str]:
    for title, firsts in PARTS:
        yield f"## {title}\n"
        for first in firsts:
            for question in QUESTIONS:
                if question.is_command and question.name.split()[0] == first:
                    yield _section(question)


def _section(question: Question) -> str:
    rows = "".join(_row(question, argument) for argument in typed(question))
    arguments = f"Arguments:\n\n{rows}\n" if rows else ""
    note = f"{NOTES[question.name]}\n\n" if question.name in NOTES else ""
    rest = f", REST [`{question.rest}`](rest.md#{slug(question.rest)})" if question.rest else ""
    caps = "rw" if question.writes else "r"
    return (
        f"### {question.name}\n\n```text\n{signature(question)}\n```\n\n{question.help}.\n\n"
        f"{note}{arguments}Caps: `{caps}`{rest}.\n"
    )


def typed(question: Question) -> list[Argument]:
    """The arguments of the command line, in its order: those that are needed come first there."""
    return [argument for argument in question.arguments if argument.cli is not Use.ABSENT]


def _row(question: Question, argument: Argument) -> str:
    return f"- `{_bare(question, argument)}`: {words_of(question, argument).meaning}\n"


def _written(question: Question, argument: Argument) -> str:
    bare = _bare(question, argument)
    return bare if argument.cli is Use.NEEDED else f"[{bare}]"


def _bare(question: Question, argument: Argument) -> str:
    """As it is typed: needed ones by their place, others by their name."""
    value = words_of(question, argument).value
    option = f"--{argument.name.replace('_', '-')}"
    if argument.kind is ArgumentKind.FILE:
        return f"-i {value}"
    if argument.kind is ArgumentKind.FLAG:
        return option
    if argument.cli is Use.NEEDED or (question.name, argument.name) in _BY_PLACE:
        return value
    return f"{option} {value}"


# Optional ones that are better typed by their place.
_BY_PLACE = {("round abort", "id"), ("finding mute", "for"), ("finding ack", "text")}
