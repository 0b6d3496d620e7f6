"""All questions, in the order of the CLI's help."""

from __future__ import annotations

from collections.abc import Sequence

from . import (
    cluster,
    comparing,
    doctor,
    export,
    findings,
    hardware,
    hosts,
    incident,
    loads,
    metrics,
    osds,
    period,
    plans,
    problems,
    rounds,
    schedules,
    settings,
    status,
    store,
    watched,
)
from .question import Question

QUESTIONS: Sequence[Question] = (
    *status.QUESTIONS,
    *problems.QUESTIONS,
    *plans.QUESTIONS,
    *rounds.QUESTIONS,
    *comparing.QUESTIONS,
    *export.QUESTIONS,
    *loads.QUESTIONS,
    *schedules.QUESTIONS,
    *settings.QUESTIONS,
    *store.QUESTIONS,
    *doctor.QUESTIONS,
    *osds.QUESTIONS,
    *findings.QUESTIONS,
    *incident.QUESTIONS,
    *watched.QUESTIONS,
    *cluster.QUESTIONS,
    *period.QUESTIONS,
    *metrics.QUESTIONS,
    *hosts.QUESTIONS,
    *hardware.QUESTIONS,
)
