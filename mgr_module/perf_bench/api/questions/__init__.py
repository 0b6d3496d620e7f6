"""All questions, in the order of the CLI's help."""

from __future__ import annotations

from collections.abc import Sequence

from ...report import tables
from . import hardware, operations, rounds, watching
from .question import Question

QUESTIONS: Sequence[Question] = (
    Question(
        "status",
        "Show what perf_bench is doing",
        lambda api, _args: api.status(),
        plain=tables.status,
        rest="GET status",
        answer="Status",
    ),
    *rounds.QUESTIONS,
    *operations.QUESTIONS,
    *watching.QUESTIONS,
    *hardware.QUESTIONS,
)
