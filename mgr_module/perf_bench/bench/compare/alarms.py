"""Add the guard's alarms to a round's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...model.guard import Alarm
from ...model.round import Conclusion, Verdict
from .summary import Summary

# Verdicts that become CONTAMINATED; those of failed and aborted rounds stay.
_SPOILT = (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)


def with_alarms(summary: Summary, alarms: Sequence[Alarm]) -> Summary:
    """The summary with a conclusion for each alarm; a usable verdict becomes contaminated."""
    if not alarms:
        return summary
    new = tuple(
        Conclusion(f"guard-{alarm.code}", alarm.message, dict(alarm.evidence)) for alarm in alarms
    )
    summary = replace(summary, conclusions=(*new, *summary.conclusions))
    if summary.verdict not in _SPOILT:
        return summary
    reasons = (*(alarm.message for alarm in alarms), *summary.reasons)
    return replace(summary, verdict=Verdict.CONTAMINATED, reasons=reasons)
