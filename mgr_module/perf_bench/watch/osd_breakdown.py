"""Asks OSDs where their operations spend their time, as tasks on the loop.

An OSD is asked together with two others to compare with, and with the OSD that it waits for most.
All are asked twice within ``LOOK_SECONDS``, so that counters tell what was added between.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Callable, NamedTuple, Optional, Protocol

from ..core.clock import Clock
from ..core.failing_parts import WHY, FailingParts
from ..core.loop import Loop, first_of, reply, sleep
from ..core.workers import Executor
from ..errors import CommandFailed, InvalidValue, NotNow, PerfBenchError
from ..model.cluster import BenchSpans, Cluster, Kept, PgStates
from ..model.finding import Target
from ..model.json_fields import iso
from ..model.osd import Osd, no_such_osd
from ..model.phrases import plural
from ..model.verdict import Answers, OsdWhy, OsdWhyBackground
from .breakdown import parsing
from .breakdown.conclusion import (
    PEER,
    SUSPECT,
    Asked,
    background,
    breakdown,
    evidence,
    works_on,
)

# Seconds from a question to its whole answer; the second time is asked this long after the first.
LOOK_SECONDS = 3.0
AGAIN_SECONDS = 2.0
# The first answer is made after so long at the latest: OSDs that are well answer in milliseconds.
# Other commands wait while a command waits for it.
FIRST_SECONDS = 0.4
PATIENCE = 0.5
# How many OSDs may be asked about at once, and how many seconds a finding waits for its turn.
MOST_AT_ONCE = 4
MOST_WAITING = 20
# An answer is given again for so many seconds.
FRESH = 60.0
_MAPS_AGE = 10.0
# Seconds that counts by OSD are used: reading them takes 1 us a PG, while no other Python runs.
_PGS_AGE = 10.0
# Time around a bench in which its OSD would answer late, in seconds.
_BENCHED = 1.0
# An OSD that gives one of these is not asked for the rest.
_SILENT = (errno.ETIMEDOUT, errno.ENOTCONN, errno.ENXIO, errno.ENOENT)
_LONGEST_PROBLEM = 200


class Chosen(NamedTuple):
    """All OSDs by ID, the peers of the one that it is about, and what runs on its PGs."""

    osds: Mapping[int, Osd] = {}
    peers: Sequence[Osd] = ()
    background: Sequence[OsdWhyBackground] = ()


class OperationDumps(Protocol):
    """What OSDs answer about their operations, as JSON.

    Every call takes 10 s at most, and a millisecond where nothing is wrong. Raises CommandFailed.
    Several threads may ask at once.
    """

    def slowest(self, osd: int) -> bytes:
        """The slowest operations of the last minutes."""

    def in_flight(self, osd: int) -> bytes:
        """The operations that are not done."""

    def counters(self, osd: int) -> bytes:
        """All performance counters; 30 kB."""


@dataclass
class _Asking:
    """One OSD that is being asked about; ``began`` is monotonic, ``asked_at`` unix seconds.

    ``first`` is done with the first answers, ``done`` with the whole answer or the error that ended
    it. ``roles`` has whom to ask, ``pending`` who has not answered yet.
    """

    osd: int
    began: float
    asked_at: float
    roles: dict[int, str]
    chosen: Chosen = field(default_factory=Chosen)
    first: Future[None] = field(default_factory=Future)
    done: Future[OsdWhy] = field(default_factory=Future)
    answers: dict[int, Answers] = field(default_factory=dict)
    pending: dict[int, Future[Answers]] = field(default_factory=dict)

    def take(self, newest: Answers) -> None:
        before = self.answers.get(newest.osd)
        self.answers[newest.osd] = newest if before is None else joined(before, newest)


class OsdBreakdowns:
    """``why`` is called by other threads; all else runs on the loop."""

    def __init__(
        self,
        loop: Loop,
        workers: Executor,
        ask: Callable[[int], Answers],
        choose: Callable[[int], Chosen],
        clock: Clock,
        failing: FailingParts,
    ) -> None:
        """``ask`` (``answers_of``) and ``choose`` are called on workers, which may all hang."""
        self._loop = loop
        self._workers = workers
        self._ask_osd = ask
        self._choose = choose
        self._clock = clock
        self._failing = failing
        self._askings: dict[int, _Asking] = {}
        # What is known of an OSD, and when that was begun to be asked (unix seconds).
        self._found: dict[int, tuple[float, OsdWhy]] = {}

    def why(self, number: int) -> OsdWhy:
        """The breakdown of an OSD: of the last minute, else what it answers at once.

        It is asked further until the answer's ``until``; the next question gets what is there then.
        Raises NotFound, and NotNow for one that is down or if too many are being asked about.
        """
        return self._loop.ask(lambda: self._answer(number))

    # --- on the loop -------------------------------------------------------------------------

    async def _answer(self, number: int) -> OsdWhy:
        asking, known = self._askings.get(number), self._found.get(number)
        if asking is None:
            if known is not None and 0 <= self._clock.now() - known[0] < FRESH:
                return known[1]
            asking = self._begin(number)
        await first_of((asking.first, asking.done), PATIENCE)
        return asking.done.result() if asking.done.done() else self._found[number][1]

    async def explain(self, target: Target) -> Mapping[str, Any]:
        """Ask about the OSD of a finding when there is room; the evidence, empty without any."""
        if target.kind != "osd" or not target.id.isdigit():
            return {}
        number = int(target.id)
        for _ in range(MOST_WAITING):
            if number in self._askings or len(self._askings) < MOST_AT_ONCE:
                break
            await sleep(1.0)
        try:
            asking = self._askings.get(number) or self._begin(number)
            return evidence(await reply(asking.done), asking.asked_at)
        except PerfBenchError as error:
            self._failing.log.debug("osd.%d is not asked why: %s", number, error)
            return {}

    def _begin(self, number: int) -> _Asking:
        if len(self._askings) >= MOST_AT_ONCE:
            names = ", ".join(f"osd.{one}" for one in sorted(self._askings))
            raise NotNow(f"{names} are being asked: try again in {LOOK_SECONDS:.0f} seconds")
        asking = _Asking(number, self._clock.monotonic(), self._clock.now(), {number: ""})
        self._askings[number] = asking
        self._tell(asking, is_complete=False)
        asking.done = self._loop.spawn(self._run(asking)).done
        return asking

    async def _run(self, asking: _Asking) -> OsdWhy:
        try:
            found = await self._all(asking)
            self._failing.went_well(WHY)
            return found
        except Exception as error:
            self._found.pop(asking.osd, None)
            if not isinstance(error, PerfBenchError):
                self._failing.failed(WHY, error)
            raise
        finally:
            del self._askings[asking.osd]

    async def _all(self, asking: _Asking) -> OsdWhy:
        """Ask all OSDs twice, and publish what is known meanwhile."""
        chosen = await reply(self._workers.submit(lambda: self._choose(asking.osd)))
        asking.chosen = chosen
        asking.roles.update((one.id, PEER) for one in chosen.peers)
        await self._ask(asking, FIRST_SECONDS)
        waits = self._tell(asking, is_complete=False).waits_for
        asking.first.set_result(None)
        if waits and waits[0].osd in chosen.osds and chosen.osds[waits[0].osd].up:
            asking.roles.setdefault(waits[0].osd, SUSPECT)
            await self._ask(asking, AGAIN_SECONDS)
        await sleep(asking.began + AGAIN_SECONDS - self._clock.monotonic())
        await self._ask(asking, LOOK_SECONDS, again=True)
        for osd, future in asking.pending.items():
            again = "again " if osd in asking.answers else ""
            why = f"did not answer {again}within {LOOK_SECONDS:g} s"
            if future.cancel():
                why = "was not asked: others do not answer"
            asking.take(Answers(osd, problems=(f"osd.{osd} {why}.",)))
        return self._tell(asking, is_complete=True)

    async def _ask(self, asking: _Asking, seconds: float, again: bool = False) -> None:
        """Ask those that were not asked yet, or all; wait until so long after the start at most.

        One that has not answered is not asked again meanwhile.
        """
        for osd in asking.roles:
            if osd not in asking.pending and (again or osd not in asking.answers):
                asking.pending[osd] = self._workers.submit(partial(self._ask_osd, osd))
        in_time = True
        while asking.pending and in_time:
            left = asking.began + seconds - self._clock.monotonic()
            in_time = await first_of(tuple(asking.pending.values()), max(0.0, left))
            for osd in [osd for osd, future in asking.pending.items() if future.done()]:
                asking.take(asking.pending.pop(osd).result())

    def _tell(self, asking: _Asking, is_complete: bool) -> OsdWhy:
        """Publish what is known."""
        asked, begun = {}, asking.asked_at
        for osd, role in asking.roles.items():
            not_yet = Answers(osd, problems=(f"osd.{osd} has not answered yet.",))
            host = asking.chosen.osds[osd].host if osd in asking.chosen.osds else ""
            asked[osd] = Asked(host, role, asking.answers.get(osd, not_yet))
        times = iso(begun) or "", iso(begun + LOOK_SECONDS) or ""
        found = breakdown(asking.osd, asked, *times, is_complete, asking.chosen.background)
        kept = {osd: one for osd, one in self._found.items() if one[0] > begun - FRESH}
        self._found = {**kept, asking.osd: (begun, found)}
        return found


# --- on a worker's thread ------------------------------------------------------------------------


def background_work(
    pgs: PgStates, scheduler: Callable[[int], Optional[str]], monotonic: Callable[[], float]
) -> Callable[[int], Sequence[OsdWhyBackground]]:
    """A function that returns what runs on an OSD's PGs now.

    Counts by OSD are read only while some PG is in such work. ``scheduler`` returns
    ``osd_op_queue`` of an OSD.
    """
    by_osd = Kept(pgs.by_osd, monotonic)

    def seen(osd: int) -> Sequence[OsdWhyBackground]:
        runs = works_on(pgs.by_state())
        return background(by_osd.get(_PGS_AGE), osd, scheduler(osd)) if runs else ()

    return seen


def choose(
    cluster: Cluster, seen: Callable[[int], Sequence[OsdWhyBackground]], number: int
) -> Chosen:
    """Whom to ask about an OSD, with at most two peers: up, in, and of its device class.

    Of its model, and of other hosts than its own and than each other, where possible. ``seen``
    returns what runs on an OSD's PGs. Raises NotFound, and NotNow for one that is down.
    """
    osds = {one.id: one for one in cluster.osds(_MAPS_AGE)}
    if number not in osds:
        raise no_such_osd(number)
    osd = osds[number]
    if not osd.up:
        raise NotNow(f"{osd.name} is down, so it cannot be asked")
    alike = [
        one
        for one in osds.values()
        if one.id != number and one.up and one.in_cluster and one.device_class == osd.device_class
    ]

    def rank(one: Osd) -> tuple[bool, bool, bool, int]:
        # The next IDs first, so that not everybody asks osd.0.
        other_model = one.peer_group != osd.peer_group
        return (other_model, one.host == osd.host, one.id < number, one.id)

    alike.sort(key=rank)
    elsewhere = [one for one in alike if one.host != alike[0].host]
    peers = [*alike[:1], *(elsewhere or alike[1:])[:1]]
    return Chosen(osds, peers, seen(number))


def answers_of(dumps: OperationDumps, benched: BenchSpans, clock: Clock, osd: int) -> Answers:
    """What one OSD answers now; what it refuses or what cannot be read is a problem.

    An OSD without an op tracker refuses to tell operations, and tells its counters.
    """
    now = clock.now()
    if osd in benched.during(now - _BENCHED, now + _BENCHED):
        return Answers(osd, problems=(f"osd.{osd} runs a bench of a round and was not asked.",))
    found, problems = Answers(osd), []
    for ask in (dumps.slowest, dumps.in_flight, dumps.counters):
        try:
            out = ask(osd)
            if ask == dumps.counters:
                found = replace(found, last=parsing.counters(out), at=clock.monotonic())
                continue
            read, unread = parsing.operations(out, in_flight=ask == dumps.in_flight)
            by_key = {**found.operations, **{one.key: one for one in read}}
            found = replace(found, operations=by_key)
            if unread:
                problems.append(f"osd.{osd} gave {plural(unread, 'operation')} not read here.")
        except CommandFailed as error:
            if error.errno in _SILENT:
                return Answers(osd, problems=(f"osd.{osd} did not answer: {_line(error)}.",))
            problems.append(f"osd.{osd} refused to tell: {_line(error)}.")
        except InvalidValue as error:
            problems.append(f"osd.{osd} gave no dump: {_line(error)}.")
    return replace(found, problems=tuple(dict.fromkeys(problems)))


def joined(before: Answers, newest: Answers) -> Answers:
    """The answers of before with the newest."""
    # What was in flight has ended, or is in flight again in the newest answer.
    ended = {key: one for key, one in before.operations.items() if not one.in_flight}
    found = replace(
        newest if newest.last else before,
        operations={**ended, **newest.operations},
        problems=tuple(dict.fromkeys((*before.problems, *newest.problems))),
    )
    if newest.last and before.last:
        return replace(found, first=before.last, seconds=newest.at - before.at)
    return found


def _line(error: object) -> str:
    """An error in one line, to end a sentence."""
    return str(error).replace("\n", " ")[:_LONGEST_PROBLEM].rstrip(".")
