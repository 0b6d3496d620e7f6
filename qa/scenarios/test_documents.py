"""The commands that the documents show: those that only read are typed on a real cluster."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from documentation import lines
from documentation.lines import Command
from perf_bench.answers.question import ArgumentKind, Use
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).resolve().parents[2]
# What no cluster of devcluster has: the sentence that there is none is the answer then.
_MAY_BE_MISSING = ("finding show", "enclosure show")


def reading() -> Iterator[Command]:
    """Every command of the documents that changes nothing, with its values."""
    for document, text in lines.documents(ROOT).items():
        for line in lines.lines(document, text):
            if line.text.startswith(f"{lines.MODULE} ") and line.words[2:] != ["…"]:
                command = lines.parsed(line)
                changes = command.question.writes and "dry_run" not in command.values
                # Nobody waits to run clients here: qa/scenarios/test_workers.py has hosts that do.
                if command.whole and not changes and "workers" not in command.values:
                    yield command


def filled(command: Command, rounds: list[int]) -> list[str]:
    """The words to type, with IDs and names that this cluster has."""
    words = command.question.name.split()
    ids = iter(rounds)
    for argument in command.question.arguments:
        if argument.name not in command.values:
            continue
        value = _OURS.get((command.question.name, argument.name), command.values[argument.name])
        if argument.kind is ArgumentKind.ROUND_ID:
            value = str(next(ids))
        elif argument.kind is ArgumentKind.OSD_ID:
            value = "1"
        option = f"--{argument.name.replace('_', '-')}"
        if argument.kind is ArgumentKind.FLAG:
            words.append(option)
        else:
            words += [value] if argument.cli is Use.NEEDED else [option, value]
    return words


_OURS = {
    # These two rounds are comparable; whether one is worse is chance.
    ("round compare", "fail_on"): "not-comparable",
    ("host show", "name"): "host-0",
    ("profile show", "name"): "osd-iops",
    ("profile history", "name"): "osd-throughput",
    ("round start", "osds"): "host=host-0",
    ("osd ls", "osds"): "host=host-0",
}


@pytest.mark.long
def test_commands_that_read_are_answered(operator: Operator) -> None:
    rounds = [operator.starts("osd-throughput", "--osds", "0", "--repeats", "1")]
    operator.sees("the end of the round", lambda: not operator.asks("status")["active_round"])
    rounds.append(operator.starts("osd-throughput", "--osds", "0", "--repeats", "1"))
    operator.sees("the end of the round", lambda: not operator.asks("status")["active_round"])
    typed = {tuple(filled(command, rounds)): command for command in reading()}
    names = {command.question.name for command in typed.values()}
    assert len(typed) > 30
    assert names >= {"status", "finding ls", "osd why", "round show", "round compare", "doctor"}
    wrong = []
    for words, command in sorted(typed.items()):
        reply = operator.types(*words)
        missing = command.question.name in _MAY_BE_MISSING and reply.code == errno.ENOENT
        if not (missing or (reply.code == 0 and reply.out.strip())):
            wrong.append((words, reply))
    assert not wrong
    print(f"{len(typed)} commands of the documents, of {len(names)} kinds, were answered")
