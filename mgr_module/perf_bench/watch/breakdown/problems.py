"""Say why an OSD did not tell something."""

from __future__ import annotations

from ...model.said import Said, say

_LONGEST_PROBLEM = 200


def benched(osd: int) -> Said:
    """It measures, so its operations are not those of clients."""
    return say("why-benched", "osd.{osd} runs a bench of a round and was not asked.", osd=osd)


def silent(osd: int, error: object) -> Said:
    """It gave no answer in time."""
    return say("why-silent", "osd.{osd} did not answer: {error}.", osd=osd, error=_line(error))


def refused(osd: int, error: object) -> Said:
    """It gave an error."""
    return say("why-refused", "osd.{osd} refused to tell: {error}.", osd=osd, error=_line(error))


def no_operations(osd: int, error: object) -> Said:
    """Its operations cannot be read."""
    return say("why-no-dump", "osd.{osd} gave no operations: {error}.", osd=osd, error=_line(error))


def no_counters(osd: int, error: object) -> Said:
    """Its counters cannot be read."""
    return say(
        "why-no-counters", "osd.{osd} gave no counters: {error}.", osd=osd, error=_line(error)
    )


def not_read(osd: int, count: int) -> Said:
    """It has more operations than are read."""
    return say(
        "why-not-read",
        "osd.{osd} gave {count|operation|operations} more, not read.",
        osd=osd,
        count=count,
    )


def not_asked(osd: int, error: object) -> Said:
    """Asking failed in the module."""
    return say(
        "why-not-asked", "osd.{osd} could not be asked: {error}.", osd=osd, error=_line(error)
    )


def _line(error: object) -> str:
    """An error in one line, to end a sentence."""
    return str(error).replace("\n", " ")[:_LONGEST_PROBLEM].rstrip(".")
