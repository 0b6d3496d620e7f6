"""The mgr's side of workers: which there are, and the run that they carry out together.

Workers ask for orders (``worker next``) and report (``worker tell``); nothing is sent to them. All
is plain state in memory: the owner calls one method at a time. Times in answers are seconds from
now on, so that no clock needs to agree with another.
"""

from __future__ import annotations

import errno
import math
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Optional

from ..core.clock import Clock
from ..errors import CommandFailed, InvalidValue, NotNow
from ..model.json_fields import Json
from ..model.rados import LEASE_SECONDS, ClientRun, LoadOrder, Row, Worker, WorkerPart, WorkerState
from ..version import VERSION
from .messages import GRACE, Line, Report, Sender, Totals, read

# Seconds until a worker asks again: without a run; while one runs or is about to; before its start.
IDLE_SECONDS, BEAT_SECONDS, GATHER_SECONDS = 5.0, 1.0, 0.25
# Seconds for which idle workers ask each second after a run: the next repeat follows.
_EAGER_SECONDS = 60.0
# A worker that has not asked for this long is lost: it missed two questions.
LOST_SECONDS = 12.0
# Seconds after which all workers have asked an mgr that has become active.
SETTLE_SECONDS = IDLE_SECONDS + 2.0
# Seconds until all workers must have taken an order: those of the mgr before ask once their lease
# is over.
ACCEPT_SECONDS = 15.0
# Seconds from the last worker's acceptance to the start: the others ask some times until then.
_AHEAD_SECONDS = 1.5
# Seconds that a worker may need to end its clients after its lease.
_END_SECONDS = 1.5
# A worker that is lost is forgotten after a week, or when this many others have asked since.
_FORGET_SECONDS = 7 * 86400.0
MOST_WORKERS = 1000
# Processes of one name that are told apart.
_MOST_TWINS = 8
# Lines of a run that are neither rows nor totals of a client.
_OTHER_LINES = 10


@dataclass
class Process:
    """The process of a worker that asked last, at ``last`` (monotonic) and ``seen`` (unix).

    ``replaced`` are the processes that asked before it, as it stands after a restart. When one of
    them asks again, there are two of the name: ``twin`` is the other one's host, at ``twin_at``.
    """

    worker: str
    sender: Sender
    last: float
    seen: float
    busy: bool
    replaced: tuple[str, ...] = ()
    twin: str = ""
    twin_at: float = -math.inf

    @property
    def offset(self) -> float:
        """How far its clock is ahead, in seconds, give or take half a trip."""
        return self.sender.clock + self.sender.trip / 2 - self.seen


@dataclass
class _Part:
    """The part of one worker in a run. ``have`` counts the lines of its report."""

    numbers: Sequence[int]
    process: Optional[Process] = None
    have: int = 0
    heard_at: float = 0.0
    lease_until: float = -math.inf
    late: float = 0.0
    ended: bool = False
    failure: Optional[CommandFailed] = None
    rows: dict[int, list[Row]] = field(default_factory=dict)
    totals: dict[int, Totals] = field(default_factory=dict)


class WorkerRun:
    """One order, carried out by all its workers together."""

    def __init__(self, order: LoadOrder, clock: Clock) -> None:
        self.id = uuid.uuid4().hex[:12]
        self._order = order
        self._clock = clock
        self._begun = clock.monotonic()
        # A step of a saturation search may have fewer clients than there are workers.
        names = order.workers[: order.clients]
        self.parts = {
            name: _Part(range(n, order.clients, len(names))) for n, name in enumerate(names)
        }
        # When the clients start, by the monotonic clock and in unix seconds; None until all
        # workers have taken the order.
        self._start: Optional[tuple[float, float]] = None
        self._stopped = False
        self._new_rows: list[tuple[int, Row]] = []

    def take(self, process: Process) -> Optional[Json]:
        """Return the order for this worker; None if it has none here, or has begun it."""
        part = self._part_of(process)
        if part is None or self._stopped or part.have:
            return None
        part.process = process
        if self._start is None and all(one.process for one in self.parts.values()):
            now = self._clock.monotonic(), self._clock.now()
            self._start = now[0] + _AHEAD_SECONDS, now[1] + _AHEAD_SECONDS
        run = {"id": self.id, "numbers": list(part.numbers), "load": asdict(self._order)}
        return {**self._answer(part), "run": run}

    def report(self, process: Process, report: Report) -> Optional[Json]:
        """Take what a worker tells; None if it is not of this run."""
        part = self._part_of(process)
        if report.run != self.id or part is None or part.process is None:
            return None
        part.process = process
        try:
            self._read(part, report)
        except InvalidValue as error:
            self.fail(process.worker, error)
        return self._answer(part)

    def _part_of(self, process: Process) -> Optional[_Part]:
        """The part of this worker; None if it has none, or another process has taken it."""
        part = self.parts.get(process.worker)
        if part is None or part.process is None:
            return part
        return part if part.process.sender.instance == process.sender.instance else None

    def _answer(self, part: _Part) -> Json:
        """Renew the lease of a worker, or end its clients."""
        now = part.heard_at = self._clock.monotonic()
        if self._stopped or part.failure is not None:
            return {"go_on": False, "ask_in": BEAT_SECONDS, "have": part.have}
        part.lease_until = now + LEASE_SECONDS
        answer = {"go_on": True, "ask_in": GATHER_SECONDS, "have": part.have}
        if self._start is not None:
            answer["start_in"] = self._start[0] - now
            answer["ask_in"] = BEAT_SECONDS if now >= self._start[0] else GATHER_SECONDS
        return answer

    def fail(self, worker: str, error: InvalidValue) -> None:
        """Note that what this worker tells cannot be."""
        part = self.parts.get(worker)
        if part is not None:
            why = f"worker {worker} tells what cannot be: {error}"
            part.failure = CommandFailed(errno.EPROTO, why)

    def _read(self, part: _Part, report: Report) -> None:
        """Read the lines that are new: librados sends a command again after a lost connection."""
        seconds = self._order.seconds
        most = len(part.numbers) * (seconds + GRACE + 1) + _OTHER_LINES
        if report.at > part.have or report.at + len(report.lines) > most:
            raise InvalidValue("it tells more than a run has")
        for line in report.lines[part.have - report.at :]:
            part.have += 1
            self._keep(part, line)

    def _keep(self, part: _Part, line: Line) -> None:
        if line.client is not None:
            if line.client not in part.numbers:
                raise InvalidValue(f"client {line.client} is none of its own")
            self._keep_client(part, line.client, line)
        if line.error is not None and part.process is not None:
            why = f"worker {part.process.worker}: {line.error}"
            part.failure = CommandFailed(line.errno, why)
        part.late = line.started if line.started is not None else part.late
        part.ended = part.ended or line.ended

    def _keep_client(self, part: _Part, client: int, line: Line) -> None:
        rows = part.rows.setdefault(client, [])
        if line.row is not None and (not rows or line.row.second > rows[-1].second):
            rows.append(line.row)
            self._new_rows.append((client, line.row))
        if line.run is not None:
            part.totals[client] = line.run

    def new_rows(self) -> Sequence[tuple[int, Row]]:
        """Return the clients' rows since the last call."""
        rows, self._new_rows = self._new_rows, []
        return rows

    def has_ended(self) -> bool:
        """Whether all workers have ended their clients. Raises CommandFailed if one cannot."""
        now = self._clock.monotonic()
        for name, part in self.parts.items():
            if part.failure is not None:
                raise part.failure
            if part.process is None:
                continue
            host = part.process.sender.host
            if part.ended and len(part.totals) < len(part.numbers):
                raise CommandFailed(
                    errno.ECONNABORTED, f"worker {name} on {host} was ended before its clients"
                )
            silent = now - part.heard_at
            if silent > LEASE_SECONDS and not part.ended:
                why = (
                    f"worker {name} on {host} was lost: nothing was heard of it for {silent:.0f} s"
                )
                raise CommandFailed(errno.EHOSTDOWN, why)
        if self._start is None and now - self._begun > ACCEPT_SECONDS:
            late = ", ".join(name for name, part in self.parts.items() if part.process is None)
            why = f"worker {late} is late: it did not take the order within {ACCEPT_SECONDS:.0f} s"
            raise CommandFailed(errno.ETIMEDOUT, why)
        return all(part.ended for part in self.parts.values())

    def stop(self) -> None:
        """Tell the workers to end their clients when they ask next."""
        self._stopped = True

    def is_quiet(self) -> bool:
        """Whether no worker runs clients any more: each has said so, or its lease is over."""
        now = self._clock.monotonic()
        return all(
            part.ended or now > part.lease_until + _END_SECONDS for part in self.parts.values()
        )

    def results(self) -> list[ClientRun]:
        """Return the runs of the clients by number, once they have ended; times as the mgr's."""
        found: dict[int, ClientRun] = {}
        for name, part in self.parts.items():
            process = part.process
            if process is None or self._start is None:
                continue
            sender = process.sender
            own = WorkerPart(name, sender.host, process.offset, sender.trip / 2, part.late)
            for number, totals in part.totals.items():
                rows = tuple(part.rows.get(number, ()))
                run = ClientRun(**vars(totals), rows=rows, worker=own)
                found[number] = replace(run, started_at=self._start[1] + run.started_at)
        return [found[number] for number in sorted(found)]


class Coordinator:
    """Answers the workers of this mgr."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()
        # By name; the one that has not asked for the longest time is the first.
        self._known: dict[str, Process] = {}
        self._run: Optional[WorkerRun] = None
        self._eager_until = -math.inf

    def begin(self, order: LoadOrder) -> WorkerRun:
        """Begin a run; there is one at a time."""
        self._run = WorkerRun(order, self._clock)
        self._eager_until = math.inf
        return self._run

    def finish(self) -> None:
        """Forget the run."""
        self._run = None
        self._eager_until = self._clock.monotonic() + _EAGER_SECONDS

    def next(self, worker: str, text: str) -> Json:
        """Answer ``worker next``. Raises InvalidValue."""
        process = self._hear(worker, read(Sender, worker, text), busy=False)
        run = self._run
        if run is not None and self._state(process)[0] is WorkerState.READY:
            order = run.take(process)
            if order is not None:
                return order
        soon = self._clock.monotonic() < self._eager_until
        return {"ask_in": BEAT_SECONDS if soon else IDLE_SECONDS}

    def tell(self, worker: str, text: str) -> Json:
        """Answer ``worker tell``. Raises InvalidValue."""
        try:
            report = read(Report, worker, text)
        except InvalidValue as error:
            if self._run is not None:
                self._run.fail(worker, error)
            raise
        process = self._hear(worker, report, busy=report.run is not None)
        answer = self._run.report(process, report) if self._run is not None else None
        if report.leaving:
            del self._known[worker]
        if answer is not None:
            return answer
        # Of another run, as of the mgr before: nobody waits for it.
        have = report.at + len(report.lines)
        return {"have": have, "go_on": False, "ask_in": BEAT_SECONDS}

    def workers(self) -> list[Worker]:
        """Return all workers by name. Raises NotNow until all had the time to ask this mgr."""
        now = self._clock.monotonic()
        if now - self._began < SETTLE_SECONDS:
            raise NotNow(
                "this mgr has just become active and does not know the workers yet, which "
                f"ask every {IDLE_SECONDS:.0f} s: try again in a few seconds"
            )
        for process in list(self._known.values()):
            if now - process.last > _FORGET_SECONDS:
                del self._known[process.worker]
        return [self._worker(self._known[name]) for name in sorted(self._known)]

    def _hear(self, worker: str, sender: Sender, *, busy: bool) -> Process:
        """Note who asks."""
        now = self._clock.monotonic()
        process = Process(worker, sender, now, self._clock.now(), busy)
        before = self._known.pop(worker, None)
        if before is not None:
            process.replaced, process.twin = before.replaced, before.twin
            process.twin_at = before.twin_at
            if before.sender.instance != sender.instance:
                process.replaced = (*before.replaced, before.sender.instance)[-_MOST_TWINS:]
                if sender.instance in before.replaced:
                    process.twin, process.twin_at = before.sender.host, now
        elif len(self._known) >= MOST_WORKERS:
            del self._known[next(iter(self._known))]
        self._known[worker] = process
        return process

    def _state(self, process: Process) -> tuple[WorkerState, str]:
        sender, now = process.sender, self._clock.monotonic()
        if now - process.last > LOST_SECONDS:
            return WorkerState.LOST, "it does not answer"
        if sender.version != VERSION:
            why = f"its version is {sender.version}, that of the mgr {VERSION}"
            return WorkerState.MISMATCHED, why
        if now - process.twin_at <= LOST_SECONDS:
            why = f"another one of that name runs on {process.twin}: end one"
            return WorkerState.DUPLICATE, why
        return (WorkerState.BUSY if process.busy else WorkerState.READY), ""

    def _worker(self, process: Process) -> Worker:
        state, note = self._state(process)
        sender, lost = process.sender, state is WorkerState.LOST
        return Worker(
            id=process.worker,
            host=sender.host,
            version=sender.version,
            instance=sender.instance,
            state=state,
            last_seen=process.seen,
            clock_offset=None if lost else process.offset,
            clock_error=None if lost else sender.trip / 2,
            note=note,
        )
