"""Why a sample or a repeat of clients has no figures, or does not count.

The store and the processes of clients pass these sentences as texts; ``recognized`` finds their
codes again, also in rows that an earlier version has stored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Callable, Optional

from .said import Said, say

_SILENT, _NOT_ASKED = "sample-silent", "sample-not-asked"

# --- of an OSD -----------------------------------------------------------------------------------


def is_down(osd: int) -> Said:
    """It was down before its bench began."""
    return say("sample-down", "osd.{osd} is down", osd=osd)


def went_down(osd: int) -> Said:
    """It went down during its bench."""
    return say("sample-went-down", "osd.{osd} went down", osd=osd)


def gave_no_answer(osd: int, seconds: float) -> Said:
    """Its bench took longer than the time limit."""
    return say(
        "sample-silent", "osd.{osd} gave no answer within {seconds:.0f} s", osd=osd, seconds=seconds
    )


def not_asked_again(osd: int) -> Said:
    """A bench before it had no answer: it may still run, and the next would wait behind it."""
    return say("sample-not-asked", "osd.{osd} was not asked again", osd=osd)


def is_silent(why: Optional[str]) -> bool:
    """Whether the OSD was given a bench and did not answer."""
    return _is(why, _SILENT)


def is_not_asked(why: Optional[str]) -> bool:
    """Whether the OSD was given no bench, because one before had no answer."""
    return _is(why, _NOT_ASKED)


def is_silence(why: Optional[str]) -> bool:
    """Whether the OSD had not answered, so that a bench may still run on it."""
    return _is(why, _SILENT, _NOT_ASKED)


def _is(why: Optional[str], *codes: str) -> bool:
    said = recognized_reason(why)
    return isinstance(said, Said) and said.code in codes


def is_out_of_reach(osd: int) -> Said:
    """A round of reads has no objects on it."""
    return say(
        "sample-out-of-reach",
        "osd.{osd} is primary of no placement group of the pool perf_bench, so nothing is read",
        osd=osd,
    )


def answered(osd: int, answer: str) -> Said:
    """It refused; ``answer`` is its own text."""
    return say("sample-answered", "osd.{osd} answered: {answer}", osd=osd, answer=answer)


def failed(osd: int, fault: str) -> Said:
    """An unexpected exception."""
    return say("sample-failed", "osd.{osd} failed: {fault}", osd=osd, fault=fault)


def not_storable(osd: int, error: str) -> Said:
    """Its answer has values that the database does not take."""
    return say(
        "sample-not-storable",
        "what osd.{osd} answered cannot be stored ({error})",
        osd=osd,
        error=error,
    )


def too_short(milliseconds: float) -> Said:
    """Its time cannot be measured precisely enough."""
    return say(
        "sample-short",
        "too short: {took:.0f} ms, at least 100 ms are needed",
        took=milliseconds,
    )


# --- of clients ----------------------------------------------------------------------------------


def not_measured() -> Said:
    """There is neither a run nor a reason."""
    return say("repeat-unmeasured", "it was not measured")


def not_together(clients: int) -> Said:
    """There was no moment at which all of them ran."""
    return say(
        "clients-not-together",
        "the {clients|client|clients} never ran at the same time",
        clients=clients,
    )


def no_operation(seconds: float) -> Said:
    """No operation ended while all of them ran."""
    return say("clients-idle", "no operation ended in {seconds:.0f} s", seconds=seconds)


def stalled(seconds: float) -> Said:
    """No operation of any client ended for this long."""
    return say(
        "clients-stalled",
        "no operation ended for {seconds:.0f} s: see 'ceph health detail'",
        seconds=seconds,
    )


def overran(seconds: float) -> Said:
    """Clients ran this much longer than ordered."""
    return say("clients-overran", "clients still ran {seconds:.0f} s too long", seconds=seconds)


def ended_early() -> Said:
    """The helper process ended before its clients."""
    return say("clients-process-ended", "the process that runs the clients ended too early")


def rados_failed(words: str) -> Said:
    """``words`` are those of rados bench."""
    return say("rados-failed", "rados bench failed: {words}", words=words)


def rados_unfinished(second: int, last: str) -> Said:
    """Its output ends before the totals; ``last`` is the last line."""
    return say(
        "rados-unfinished",
        "rados bench ended before its totals, after second {second}: '{last}'",
        second=second,
        last=last,
    )


def rados_unknown(line: str) -> Said:
    """A line that rados bench does not print."""
    return say("rados-unknown", "this is not what rados bench prints: '{line}'", line=line)


def worker_failed(worker: str, why: str) -> Said:
    """A worker reports an error."""
    return say(
        "worker-failed", "worker {worker}: {why}", worker=worker, why=_recognized(why, _OF_ONE)
    )


def worker_late(workers: str, seconds: float) -> Said:
    """Workers that did not accept the order in time."""
    return say(
        "worker-late",
        "worker {workers} is late: it did not take the order within {seconds:.0f} s",
        workers=workers,
        seconds=seconds,
    )


def worker_ended(worker: str, host: str) -> Said:
    """A worker ended before its clients had."""
    return say(
        "worker-ended",
        "worker {worker} on {host} was ended before its clients",
        worker=worker,
        host=host,
    )


def worker_lost(worker: str, host: str, seconds: float) -> Said:
    """A worker sent nothing for this long."""
    return say(
        "worker-lost",
        "worker {worker} on {host} was lost: nothing was heard of it for {seconds:.0f} s",
        worker=worker,
        host=host,
        seconds=seconds,
    )


def mgr_silent(seconds: float) -> Said:
    """A worker's order has expired."""
    return say(
        "worker-mgr-silent", "nothing was heard of the mgr for {seconds:.0f} s", seconds=seconds
    )


# --- from texts ----------------------------------------------------------------------------------

_Maker = Callable[..., Said]
_Pattern = tuple[_Maker, "re.Pattern[str]", Sequence[Callable[[str], Any]]]
# What a sentence is made by, its text as a pattern, and the types of its groups; a text may come
# from a worker, so numbers are bounded. The first that matches is taken, so those that end with any
# text stand last.
_FORMS: Sequence[tuple[_Maker, str, Sequence[Callable[[str], Any]]]] = (
    (is_down, r"osd\.(\d{1,9}) is down", (int,)),
    (went_down, r"osd\.(\d{1,9}) went down", (int,)),
    (gave_no_answer, r"osd\.(\d{1,9}) gave no answer within (\d{1,9}) s", (int, int)),
    (not_asked_again, r"osd\.(\d{1,9}) was not asked again", (int,)),
    (is_out_of_reach, r"osd\.(\d{1,9}) is primary of no placement group .*", (int,)),
    (too_short, r"too short: (\d{1,9}) ms, .*", (int,)),
    (not_storable, r"what osd\.(\d{1,9}) answered cannot be stored \((.*)\)", (int, str)),
    (not_measured, r"it was not measured", ()),
    (not_together, r"the (\d{1,9}) clients? never ran at the same time", (int,)),
    (no_operation, r"no operation ended in (\d{1,9}) s", (int,)),
    (stalled, r"no operation ended for (\d{1,9}) s: see .*", (int,)),
    (overran, r"clients still ran (\d{1,9}) s too long", (int,)),
    (ended_early, r"the process that runs the clients ended too early", ()),
    (rados_unfinished, r"rados bench ended before its totals, .* (\d{1,9}): '(.*)'", (int, str)),
    (rados_unknown, r"this is not what rados bench prints: '(.*)'", (str,)),
    (worker_late, r"worker (.+) is late: it did not take the order within (\d{1,9}) s", (str, int)),
    (worker_ended, r"worker (\S+) on (\S+) was ended before its clients", (str, str)),
    (worker_lost, r"worker (\S+) on (\S+) was lost: .* (\d{1,9}) s", (str, str, int)),
    (mgr_silent, r"nothing was heard of the mgr for (\d{1,9}) s", (int,)),
    (answered, r"osd\.(\d{1,9}) answered: (.*)", (int, str)),
    (failed, r"osd\.(\d{1,9}) failed: (.*)", (int, str)),
    (rados_failed, r"rados bench failed: (.*)", (str,)),
    (worker_failed, r"worker (\S+): (.*)", (str, str)),
)
_PATTERNS = [(make, re.compile(text, re.DOTALL), types) for make, text, types in _FORMS]
# What a worker reports is of itself: a text that names workers in each other has no end.
_OF_ONE = [form for form in _PATTERNS if form[0] is not worker_failed]


def recognized(text: str) -> str:
    """The text with its code if it is one of these sentences; any other as it is."""
    return _recognized(text, _PATTERNS)


def _recognized(text: str, patterns: Sequence[_Pattern]) -> str:
    for make, pattern, types in () if isinstance(text, Said) else patterns:
        match = pattern.fullmatch(text)
        if match is not None:
            said = make(*(type_(one) for type_, one in zip(types, match.groups())))
            if said == text:  # the tab shows nothing else than the module does
                return said
    return text


def recognized_reason(text: Optional[str]) -> Optional[str]:
    """The same of a reason that may be missing."""
    return None if text is None else recognized(text)
