"""What happened in a time: rounds, findings, restarts, changes of the configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Literal, Optional

from ..errors import CommandFailed
from ..model.admission import BALANCER_OPTION
from ..model.finding import ConfigChange, ConfigLog
from ..model.history import ClusterSpan
from ..model.json_fields import Json
from ..model.phrases import time_text
from ..model.round import RoundLine
from ..store.sqlite import Store, StoreThread
from ..watch.service import Watch
from .shape import Count, Stamp
from .text import iso

# The newest of each kind that are told.
MOST_EVENTS = 50
# The newest rounds, which are enough for most times; where not, so many further pages of so many:
# 30 days of one every quarter of an hour.
_ROUNDS, _PAGES, _PAGE = 100, 6, 500
# Seconds after a round's end within which its settings are put back, unless monitors are away.
_PUT_BACK = 60.0


@dataclass(frozen=True)
class Event:
    """Something that happened; keys that its kind does not have are null or empty.

    name -- A round's profile, a finding's code, an option.
    osds_left_out -- How many more there are that are not kept.
    """

    kind: Literal["round", "finding", "restart", "down", "config"]
    at: Optional[Stamp]
    until: Optional[Stamp]
    id: Optional[int]
    name: str
    text: str
    osds: Sequence[Count]
    osds_left_out: int
    before: Optional[str]
    after: Optional[str]


@dataclass(frozen=True)
class Happened:
    """What happened in a time.

    events -- Newest first, the newest 50 of each kind.
    events_left_out -- By kind how many older ones there are.
    configuration -- "told", "hidden" from users without config-opt read, or why the changes, or
        some of them, are not known.
    """

    events: Sequence[Event]
    events_left_out: Mapping[str, int]
    configuration: str


class Events:
    """The events of a time, newest first; what is not known is said."""

    def __init__(
        self,
        watch: Watch,
        store_thread: StoreThread,
        config_log: Callable[[], ConfigLog],
    ) -> None:
        """``config_log`` may raise CommandFailed."""
        self._watch = watch
        self._store_thread = store_thread
        self._config_log = config_log

    def between(
        self, begin: float, end: float, spans: Sequence[ClusterSpan], config: bool = True
    ) -> Happened:
        """What happened between the two; ``config`` says whether changes of it may be told.

        ``spans`` are the cluster's.
        """
        lines, _ = self._store_thread.call(lambda store: _lines_since(store, begin))
        told, changes = self._changes(begin, end, lines) if config else ("hidden", [])
        found = [
            *_rounds(lines, begin, end),
            *self._findings(begin, end),
            *_restarts(spans, begin, end),
            *changes,
        ]
        found.sort(key=lambda event: str(event.at), reverse=True)
        return _newest(found, told)

    def _findings(self, begin: float, end: float) -> list[Event]:
        found = sorted(
            (one for one in self._watch.findings() if begin <= one.first_seen < end and one.id),
            key=lambda one: -one.first_seen,
        )
        return [
            _event(
                "finding",
                one.first_seen,
                id=one.id,
                name=one.code,
                text=one.message,
                until=one.closed_at,
            )
            for one in found
        ]

    def _changes(
        self, begin: float, end: float, lines: Sequence[RoundLine]
    ) -> tuple[str, list[Event]]:
        try:
            changes, begins = self._config_log()
        except CommandFailed as error:
            return error.message, []
        found = [
            _event("config", one.at, name=one.name, before=one.before, after=one.after)
            for one in _lasting(changes, lines)
            if begin <= one.at < end
        ]
        if begins is None or begins <= begin:
            return "told", found
        cut_off = (
            f"those before {time_text(begins)}, the oldest that is read of the "
            "monitors' log: 'ceph config log 2000' prints more of it"
        )
        return cut_off, found


def _lines_since(store: Store, begin: float) -> tuple[list[RoundLine], int]:
    """The rounds, newest first, back to one that was over when the time began; how many in all."""
    lines, total = store.rounds(limit=_ROUNDS)
    found = list(lines)
    for _ in range(_PAGES):
        if len(found) >= total or _was_over(found[-1], begin):
            break
        more, total = store.rounds(limit=_PAGE, offset=len(found))
        if not more:
            break
        found += more
    return found, total


def _was_over(line: RoundLine, begin: float) -> bool:
    # Not readable ones have no times; imported ones may have ended long before they were made.
    ended = line.ended_at is not None and line.ended_at < begin
    return ended and 0 < line.created_at < begin


def _rounds(lines: Sequence[RoundLine], begin: float, end: float) -> list[Event]:
    return [
        _event(
            "round",
            line.started_at,
            id=line.id,
            name=line.profile,
            text=line.label,
            until=line.ended_at,
        )
        for line in lines
        if line.started_at is not None
        and line.started_at < end
        and (line.ended_at is None or line.ended_at >= begin)
    ]


def _lasting(changes: Sequence[ConfigChange], lines: Sequence[RoundLine]) -> Sequence[ConfigChange]:
    """The changes, newest first, without what rounds set and put back.

    Rounds of a month would crowd out all others. What somebody else changed meanwhile stays.
    """
    put_back: set[ConfigChange] = set()
    for line in lines:
        if not line.created_at or line.ended_at is None:  # not readable, or it still runs
            continue
        ends = line.created_at, line.ended_at + _PUT_BACK
        own = [
            one for one in changes if one.name == BALANCER_OPTION and ends[0] <= one.at <= ends[1]
        ]
        if own and own[-1].before == own[0].after:
            put_back.update(own)
    return [one for one in changes if one not in put_back]


def _restarts(spans: Sequence[ClusterSpan], begin: float, end: float) -> list[Event]:
    """OSDs that restarted or went down, together where that was in one span."""
    found: dict[str, list[Event]] = {"restart": [], "down": []}
    for span in spans:
        for kind, pairs, more in (
            ("restart", span.restarted, span.more_restarted),
            ("down", span.went_down, span.more_went_down),
        ):
            there = [(osd, at) for osd, at in pairs if begin <= at < end]
            if there or more:
                at = min((at for _, at in there), default=max(begin, span.start))
                osds = sorted({osd for osd, _ in there})
                found[kind].append(_event(kind, at, osds=osds, osds_left_out=more))
    return [event for events in found.values() for event in events]


def _newest(found: Sequence[Event], configuration: str) -> Happened:
    """The newest MOST_EVENTS of each kind; ``found`` is newest first."""
    kinds: Counter[str] = Counter()
    events = []
    for event in found:
        kinds[event.kind] += 1
        if kinds[event.kind] <= MOST_EVENTS:
            events.append(event)
    left_out = {kind: count - MOST_EVENTS for kind, count in kinds.items() if count > MOST_EVENTS}
    return Happened(events, left_out, configuration)


_NOTHING: Json = {
    "until": None,
    "id": None,
    "name": "",
    "text": "",
    "osds": [],
    "osds_left_out": 0,
    "before": None,
    "after": None,
}


def _event(kind: str, at: Optional[float], **more: Any) -> Event:
    """An event; keys that its kind does not have are null or empty."""
    keys: Json = {**_NOTHING, **more}
    return Event(**{**keys, "kind": kind, "at": iso(at), "until": iso(keys["until"])})
