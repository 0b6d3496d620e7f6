"""Store the orchestrator's facts of hosts that do not report their own."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Protocol

from ..core.clock import Clock
from ..errors import InvalidValue, NotFound, StoreUnavailable
from ..model.cluster import Cluster
from ..model.facts import ORCHESTRATOR, STALE_SECONDS
from ..model.pacing import Every
from .cephadm_facts import document_of
from .host_facts import HostFactsRegistry
from .rules.identity import SERVER

_EVERY = 3600.0
_SOON = 120.0
# Hosts that are stored in one tick: each waits for the database, some 40 ms.
_A_TICK = 10
_MAPS_AGE = 600.0


class Orchestrator(Protocol):
    """The orchestrator's data."""

    def facts(self) -> Sequence[Mapping[str, Any]]:
        """Cephadm's facts of all hosts; none without an orchestrator."""

    def hardware(self) -> Optional[Mapping[str, Any]]:
        """By host node-proxy's report of its parts; None if there is none, or it failed."""


class OrchestratorFacts:
    """Ticks on one thread."""

    def __init__(
        self,
        orchestrator: Orchestrator,
        hosts: HostFactsRegistry,
        cluster: Cluster,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self._orchestrator = orchestrator
        self._hosts = hosts
        self._cluster = cluster
        self._clock = clock
        self._log = log
        self._timer = Every(_EVERY, clock.monotonic() + _SOON)
        self._waiting: deque[Mapping[str, Any]] = deque()
        self._hardware: Optional[Mapping[str, Any]] = None
        self._refused: dict[str, str] = {}

    def tick(self) -> None:
        """Call every few seconds; reads the orchestrator once an hour."""
        if self._timer.is_due(self._clock.monotonic()):
            self._waiting = deque(self._orchestrator.facts())
            self._hardware = self._orchestrator.hardware() if self._waiting else None
        for _ in range(min(_A_TICK, len(self._waiting))):
            raw = self._waiting.popleft()
            try:
                self._take(raw)
            except StoreUnavailable as error:
                self._waiting.appendleft(raw)
                self._log.debug("the orchestrator's facts cannot be stored yet: %s", error)
                return
            except Exception:  # noqa: BLE001 - one host must not keep out the others
                self._log.exception("the orchestrator's facts of %a", raw.get("hostname"))

    def _take(self, raw: Mapping[str, Any]) -> None:
        now = self._clock.now()
        hardware = (self._hardware or {}).get(str(raw.get("hostname")))
        document = document_of(raw, hardware if isinstance(hardware, Mapping) else {}, now)
        if document is None or self._says_less(document["host"], now):
            return
        try:
            self._hosts.take_document(document, self._cluster.osds(_MAPS_AGE))
            self._refused.pop(document["host"], None)
        except NotFound:  # a host without OSDs
            pass
        except InvalidValue as error:
            if self._refused.get(document["host"]) != str(error):  # once, not every hour
                self._log.warning("the orchestrator's facts of %s: %s", document["host"], error)
                self._refused[document["host"]] = str(error)

    def _says_less(self, host: str, now: float) -> bool:
        """Whether known facts are fresh, and have more detail.

        As those of the host itself, or with its server's parts while their report fails: without
        it none of them would be faulty.
        """
        known = self._hosts.known().get(host)
        if known is None or now - known.facts.collected_at >= STALE_SECONDS:
            return False
        if known.facts.source != ORCHESTRATOR:
            return True
        parts = any(one.id.startswith(SERVER) for one in known.facts.enclosures or ())
        return parts and self._hardware is None
