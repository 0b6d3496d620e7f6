"""Questions about schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Optional

from ..bench.scheduler_service import RoundScheduler, ScheduleView
from ..errors import InvalidValue, NotFound, Unreadable
from ..model.json_fields import Json
from ..model.said import say
from ..model.schedule import ScheduleRequest
from ..report import schedules
from ..report.text import iso
from ..store.sqlite import Store, StoreThread


class ScheduleApi:
    """``ceph perf-bench schedule …``."""

    def __init__(self, round_scheduler: RoundScheduler, store_thread: StoreThread) -> None:
        self._round_scheduler = round_scheduler
        self._store_thread = store_thread

    def brief(self) -> Json:
        """The keys in ``status``; does not read the store."""
        return {"enabled": True, "next": iso(self._round_scheduler.next())}

    def add(self, request: ScheduleRequest) -> Json:
        return self._shape(self._round_scheduler.add(request), None)

    def ls(self) -> list[Json]:
        """All schedules by name, with their next runs and the results of the last ones."""
        entries = self._round_scheduler.entries()
        words = self._words(entries)
        return [self._shape(entry, words.get(entry.state.last_round)) for entry in entries]

    def profile(self, name: str) -> str:
        """The profile of a schedule. Raises NotFound, Unreadable."""
        return self._round_scheduler.profile(name)

    def rm(self, name: Optional[str]) -> Json:
        """Remove a schedule; it is answered as it was, without next runs."""
        wanted = _needed(name)
        there = self._named(wanted)
        words = self._words(there)
        shown = [
            self._shape(one._replace(runs=()), words.get(one.state.last_round)) for one in there
        ]
        self._round_scheduler.remove(wanted)
        return shown[0] if shown else {"name": wanted}

    def pause(self, name: Optional[str]) -> Json:
        return self._changed(self._round_scheduler.pause, _needed(name))

    def resume(self, name: Optional[str]) -> Json:
        return self._changed(self._round_scheduler.resume, _needed(name))

    def _changed(self, change: Callable[[str], ScheduleView], name: str) -> Json:
        # All is read before: an error after the change would say that nothing was changed.
        words = self._words(self._named(name))
        entry = change(name)
        return self._shape(entry, words.get(entry.state.last_round))

    def _named(self, name: str) -> list[ScheduleView]:
        return [one for one in self._round_scheduler.entries() if one.schedule.name == name]

    def _words(self, entries: Sequence[ScheduleView]) -> dict[Optional[int], str]:
        """By last round of these schedules the word for it."""
        rounds = {entry.state.last_round for entry in entries} - {None}
        return self._store_thread.call(lambda store: _words(store, rounds)) if rounds else {}

    def _shape(self, entry: ScheduleView, word: Optional[str]) -> Json:
        return schedules.schedule(entry.schedule, entry.state, entry.runs, word)


def _needed(name: Optional[str]) -> str:
    if not name:
        raise InvalidValue(
            say("schedule-name-needed", "the name of a schedule is needed"), field="name"
        )
    return name


def _words(store: Store, rounds: set[Optional[int]]) -> dict[Optional[int], str]:
    """The verdict of each round, or its state while it runs."""
    words: dict[Optional[int], str] = {}
    for number in rounds:
        if number is None:
            continue
        try:
            round_ = store.round(number)
        except NotFound:  # removed
            words[number] = "removed"
        except Unreadable:
            words[number] = "unreadable"
        else:
            words[number] = (round_.verdict or round_.state).value
    return words
