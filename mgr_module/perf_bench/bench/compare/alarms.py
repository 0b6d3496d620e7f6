"""What the guard saw during a round, in the round's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...model.guard import Alarm
from ...model.round import Conclusion, Verdict
from .summary import Summary

# A round that failed or was ended is not made better by a milder word.
_SPOILT = (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)


def with_alarms(summary: Summary, alarms: Sequence[Alarm]) -> Summary:
    """The summary with a conclusion for each alarm; good figures are called contaminated."""
    if not alarms:
        return summary
    found = tuple(
        Conclusion(f"guard-{alarm.code}", alarm.message, dict(alarm.evidence)) for alarm in alarms
    )
    summary = replace(summary, conclusions=(*found, *summary.conclusions))
    if summary.verdict not in _SPOILT:
        return summary
    reasons = (*(alarm.message for alarm in alarms), *summary.reasons)
    return replace(summary, verdict=Verdict.CONTAMINATED, reasons=reasons)
