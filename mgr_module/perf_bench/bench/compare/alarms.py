"""Add the guard's alarms to a round's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...model.guard import TIME_OVER, Alarm
from ...model.round import Conclusion, Verdict
from .summary import Summary

# Verdicts that become CONTAMINATED; those of failed and aborted rounds stay.
_SPOILT = (Verdict.VALID, Verdict.NOISY, Verdict.TOO_SHORT)
# What the codes of conclusions that tell alarms begin with.
_GUARD = "guard-"


def conclusions_of(alarms: Sequence[Alarm]) -> tuple[Conclusion, ...]:
    """The conclusions that tell alarms."""
    return tuple(
        Conclusion(f"{_GUARD}{alarm.code}", alarm.message, dict(alarm.evidence)) for alarm in alarms
    )


def alarms_of(conclusions: Sequence[Conclusion]) -> tuple[Alarm, ...]:
    """The alarms that conclusions of a running round tell; none of them ends it any more."""
    return tuple(
        Alarm(one.code[len(_GUARD) :], one.message, one.evidence, ends=False)
        for one in conclusions
        if one.code.startswith(_GUARD)
    )


def with_alarms(summary: Summary, alarms: Sequence[Alarm]) -> Summary:
    """The summary with a conclusion for each alarm; a usable verdict becomes contaminated.

    That a round's time was over before it was saved disturbed nothing, unless it was ended for it.
    """
    if summary.verdict is not Verdict.ABORTED:
        alarms = [alarm for alarm in alarms if alarm.code != TIME_OVER]
    if not alarms:
        return summary
    summary = replace(summary, conclusions=(*conclusions_of(alarms), *summary.conclusions))
    if summary.verdict not in _SPOILT:
        return summary
    reasons = (*(alarm.message for alarm in alarms), *summary.reasons)
    return replace(summary, verdict=Verdict.CONTAMINATED, reasons=reasons)
