"""The registry of host facts: written to the database first, then kept in memory."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Optional

from ..core.clock import Clock
from ..core.failing_parts import FailingParts
from ..errors import InvalidValue, NotFound
from ..model.hardware import (
    ORCHESTRATOR,
    STALE_SECONDS,
    HostFacts,
    HostHistory,
    KnownHost,
    document_of,
    facts_of,
)
from ..model.json_fields import FAULTS, decode, iso
from ..model.json_fields import document_of as json_document
from ..model.osd import Osd
from ..store.sqlite import Store, StoreThread
from .rules.enclosures import remembered
from .rules.errors import grown, smart_of

# Hosts that an error message names.
_NAMED = 8


class HostFactsRegistry:
    """May be asked from any thread."""

    def __init__(
        self,
        store: StoreThread,
        clock: Clock,
        log: logging.Logger,
        failing: Optional[FailingParts] = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._log = log
        self._failing = failing or FailingParts(clock.monotonic, log)
        # Replaced, never changed, and only on the store's thread.
        self._known: dict[str, KnownHost] = {}
        self._loaded = self._asking = False

    def take(self, host: str, text: str, osds: Sequence[Osd]) -> tuple[str, KnownHost]:
        """Store a host's facts, given as JSON text; returns the host's name and the facts.

        Raises InvalidValue with the path of the first bad field, NotFound for a host that has
        none of these OSDs, StoreUnavailable. On error nothing changes, but a database that gave no
        answer in time may store them later. Older facts never replace newer ones.
        """
        host_named(host, osds)  # an unknown host is reported before errors in the text
        document = json_document(text, "facts")
        return self._take(host, facts_of(document), document, osds, len(text))

    def take_facts(self, facts: HostFacts, osds: Sequence[Osd]) -> tuple[str, KnownHost]:
        """Store facts of the host that they name. Raises the same errors as ``take``."""
        return self._take(facts.host, facts, document_of(facts), osds)

    def _take(
        self, host: str, facts: HostFacts, document: Any, osds: Sequence[Osd], size: int = 0
    ) -> tuple[str, KnownHost]:
        name = host_named(host, osds)
        if facts.host.lower() not in (host.lower(), name.lower()):
            raise InvalidValue(
                f"host is {facts.host!a}: these are not the facts of {name}", field="host"
            )
        received_at = self._clock.now()
        facts = _not_in_future(facts, received_at)
        own = [osd for osd in osds if osd.host == name]
        self.known()  # what it is compared with is read first

        def put(store: Store) -> KnownHost:
            """Compare and keep it on the store's thread: one after the other, as it is stored.

            Also where nobody waits any more: it is in the database then, so it is known.
            """
            known = self._known.get(name)
            if known is not None:
                _check_newer(name, facts, known.facts, received_at)
            taken = known_after(known, facts, own, received_at)
            store.put_facts(name, received_at, document, vars(taken.memory))
            self._known = {**self._known, name: taken}
            return taken

        return name, self._store.call(put, size=size)

    def known(self) -> Mapping[str, KnownHost]:
        """The facts by host, read on first use. Raises StoreUnavailable."""
        if not self._loaded:
            self._store.call(self._read)
        return self._known

    def serials(self, host: Optional[str] = None) -> Mapping[int, str]:
        """By OSD the serial number of its drive, of those hosts that tell it, or of one of them."""
        found: dict[int, str] = {}
        for name, one in (self.cached() or {}).items():
            if host not in (None, name):
                continue
            of_device = {disk.device: disk.serial for disk in one.facts.block or ()}
            for osd, device in one.facts.devices_by_osd().items():
                serial = of_device.get(device)
                if serial:
                    found[osd] = serial
        return found

    def smart(self, osd: Osd) -> Optional[dict[str, int]]:
        """By kind what the drive of an OSD counts; None where its host does not tell it."""
        known = (self.cached() or {}).get(osd.host)
        device = known and known.facts.devices_by_osd().get(osd.id)
        return smart_of(known.facts, device) if known and device else None

    def cached(self) -> Optional[Mapping[str, KnownHost]]:
        """The facts by host, without waiting; None until the database has been read."""
        if not self._loaded and not self._asking:
            self._asking = True
            self._store.ask(self._read).add_done_callback(self._asked)
        if self._loaded:
            self._failing.went_well("host-facts")
        return self._known if self._loaded else None

    def _asked(self, answer: Future[None]) -> None:
        error = answer.exception()
        self._asking = False
        if isinstance(error, Exception):
            self._failing.failed("host-facts", error)

    def _read(self, store: Store) -> None:
        stored = {}
        for host, (received_at, document, memory) in store.facts().items():
            try:
                facts = facts_of(document)
            except InvalidValue as error:  # stored by another version
                self._log.warning("the stored facts of %s cannot be read: %s", host, error)
                continue
            try:
                # "shelves" was the key before.
                known = {"enclosure_paths": memory.get("shelves", {}), **memory}
                history = decode(HostHistory, known)
            except FAULTS as error:
                history = HostHistory()
                self._log.warning("the stored history of %s cannot be read: %s", host, error)
            stored[host] = KnownHost(_not_in_future(facts, received_at), received_at, history)
        # Facts that came meanwhile are newer than those that were read.
        self._known = {**stored, **self._known}
        self._loaded = True


def known_after(
    known: Optional[KnownHost], facts: HostFacts, osds: Sequence[Osd], received_at: float
) -> KnownHost:
    """A host after these facts; ``osds`` are its own."""
    before = known.memory if known else HostHistory()
    memory = replace(remembered(before, facts, osds), errors=grown(before.errors, facts))
    return KnownHost(facts, received_at, memory)


def _not_in_future(facts: HostFacts, received_at: float) -> HostFacts:
    """Limit the time of facts whose host's clock is ahead: nothing could replace them."""
    return replace(facts, collected_at=min(facts.collected_at, received_at))


def _check_newer(host: str, facts: HostFacts, known: HostFacts, now: float) -> None:
    """Raise InvalidValue if the facts are older than the known ones.

    Known facts from the future are ignored: the mgr that stored them had a clock that was ahead.
    A host's own facts have more detail than the orchestrator's, and replace them until stale.
    """
    older = facts.collected_at < known.collected_at <= now
    if known.source == ORCHESTRATOR != facts.source:
        older = older and now - facts.collected_at >= STALE_SECONDS
    if older:
        raise InvalidValue(
            f"collected_at is {iso(facts.collected_at)}, but {host} has newer facts, of "
            f"{iso(known.collected_at)} (if that is wrong, the host's clock is behind)",
            field="collected_at",
        )


def host_named(host: str, osds: Sequence[Osd]) -> str:
    """The host's name as in the OSDs' metadata, for that or a CRUSH bucket's, in any case.

    Raises NotFound.
    """
    names = sorted({osd.host for osd in osds})
    if host in names:
        return host
    alike = {
        osd.host
        for osd in osds
        for kind, name in (("host", osd.host), *osd.buckets)
        if (kind.lower(), name.lower()) == ("host", host.lower())
    }
    if len(alike) == 1:
        return alike.pop()
    some = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    raise NotFound(f"no host {host!a} has OSDs; the hosts with OSDs are: {some or 'none'}")
