"""All questions, in the order of the CLI's help."""

from __future__ import annotations

from collections.abc import Sequence

from ..status import status_text
from . import hardware, operations, rounds, watching
from .question import Question

QUESTIONS: Sequence[Question] = (
    Question(
        "status",
        "Show what perf_bench is doing",
        lambda api, _args: api.status(),
        plain=status_text,
        rest="GET status",
        answer="Status",
    ),
    *rounds.QUESTIONS,
    *operations.QUESTIONS,
    *watching.QUESTIONS,
    *hardware.QUESTIONS,
)
