"""The facts of hosts as a mgr keeps them: stored before they count, in memory for who looks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from ..errors import InvalidValue, NotFound
from ..model.enclosure import HostHistory
from ..model.facts import ORCHESTRATOR, STALE_SECONDS, HostFacts, facts_of
from ..model.json_input import document_of
from ..model.osd import Osd
from ..ports import Clock, SavedFacts, Store, StoreQueue
from ..report.text import iso
from .rules.enclosures import remembered
from .rules.error_counters import grown

# Hosts that a refusal names.
_NAMED = 8


@dataclass(frozen=True)
class StoredFacts:
    """The facts of a host, when they came (unix seconds), and what is remembered beyond them."""

    facts: HostFacts
    received_at: float
    memory: HostHistory = field(default_factory=HostHistory)


class HostFactsRegistry:
    """May be asked from any thread."""

    def __init__(self, desk: StoreQueue, clock: Clock, log: logging.Logger) -> None:
        self._desk = desk
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._known: dict[str, StoredFacts] = {}
        self._loaded = self._asking = False

    def take(self, host: str, text: str, osds: Sequence[Osd]) -> tuple[str, StoredFacts]:
        """Take over a host's facts, as the text of a file; returns the host's name and them.

        Raises InvalidValue with the path of the first bad field, NotFound for a host that has
        none of these OSDs, StoreUnavailable. On error nothing changes; older facts never replace
        newer ones.
        """
        host_named(host, osds)  # who is not there is told so first, whatever the file
        return self._take(host, document_of(text, "facts"), osds)

    def told(self, document: Mapping[str, Any], osds: Sequence[Osd]) -> tuple[str, StoredFacts]:
        """The same of a document that names its host."""
        return self._take(str(document["host"]), document, osds)

    def _take(self, host: str, document: Any, osds: Sequence[Osd]) -> tuple[str, StoredFacts]:
        name = host_named(host, osds)
        facts = facts_of(document)
        if facts.host not in (host, name):
            raise InvalidValue(
                f"host is {facts.host!a}: these are not the facts of {name}", field="host"
            )
        received_at = self._clock.now()
        facts = _of_by_now(facts, received_at)
        known = self.known().get(name)
        if known is not None:
            _no_older(name, facts, known.facts, received_at)
        before = known.memory if known else HostHistory()
        memory = replace(
            remembered(before, facts, [osd for osd in osds if osd.host == name]),
            errors=grown(before.errors, facts),
        )
        taken = StoredFacts(facts, received_at, memory)
        self._desk.call(
            lambda store: store.facts.put(name, taken.received_at, document, memory.to_json())
        )
        with self._lock:
            self._known = {**self._known, name: taken}
        return name, taken

    def known(self) -> Mapping[str, StoredFacts]:
        """By host what is known. Raises StoreUnavailable while nobody has read it."""
        if not self._loaded:
            self._remember(self._desk.call(lambda store: store.facts.all()))
        return self._known

    def cached(self) -> Optional[Mapping[str, StoredFacts]]:
        """The same without waiting; None until the store has told."""
        if not self._loaded and not self._asking:
            self._asking = True
            self._desk.submit(self._read, self._asked)
        return self._known if self._loaded else None

    def _read(self, store: Store) -> None:
        self._remember(store.facts.all())

    def _asked(self, error: Optional[Exception]) -> None:
        self._asking = False
        if error is not None:
            self._log.debug("the facts of hosts cannot be read yet: %s", error)

    def _remember(self, saved: SavedFacts) -> None:
        found = {}
        for host, (received_at, document, memory) in saved.items():
            facts = self._read_one(host, document)
            if facts is not None:
                found[host] = StoredFacts(
                    _of_by_now(facts, received_at), received_at, HostHistory.from_json(memory)
                )
        with self._lock:
            # What came meanwhile is newer than what was read.
            self._known = {**found, **self._known}
            self._loaded = True

    def _read_one(self, host: str, document: Any) -> Optional[HostFacts]:
        try:
            return facts_of(document)
        except InvalidValue as error:  # another version took them
            self._log.warning("the stored facts of %s cannot be read: %s", host, error)
            return None


def _of_by_now(facts: HostFacts, received_at: float) -> HostFacts:
    """Facts of a host whose clock is ahead: they would be the newest for ever."""
    return replace(facts, collected_at=min(facts.collected_at, received_at))


def _no_older(host: str, facts: HostFacts, known: HostFacts, now: float) -> None:
    """Facts may come late: by a slow push, out of an old file. Raises InvalidValue then.

    Those from times to come count for nothing: the mgr that took them had a clock that was ahead.
    A host's own facts say more than the orchestrator's, and are taken as long as they say anything.
    """
    older = facts.collected_at < known.collected_at <= now
    if known.source == ORCHESTRATOR != facts.source:
        older = older and now - facts.collected_at >= STALE_SECONDS
    if older:
        raise InvalidValue(
            f"collected_at is {iso(facts.collected_at)}, and of {host} there are facts of "
            f"{iso(known.collected_at)}: older ones do not replace them (if these are newer, the "
            "host's clock is behind)",
            field="collected_at",
        )


def host_named(host: str, osds: Sequence[Osd]) -> str:
    """The host as its OSDs call it; a CRUSH bucket's name will do. Raises NotFound."""
    names = sorted({osd.host for osd in osds})
    if host in names:
        return host
    meant = {osd.host for osd in osds if osd.location.get("host") == host}
    if len(meant) == 1:
        return meant.pop()
    some = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    raise NotFound(f"no OSD stands on a host {host!a}; this cluster has {some or 'none'}")
