"""Why a sample or a repeat of clients has no figures, or does not count, in sentences."""

from __future__ import annotations

from .said import Said, say

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
    return say("worker-failed", "worker {worker}: {why}", worker=worker, why=why)


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
