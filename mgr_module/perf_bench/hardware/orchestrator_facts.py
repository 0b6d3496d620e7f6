"""Facts that the orchestrator has, taken over where a host does not tell its own."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..errors import InvalidValue, NotFound, StoreUnavailable
from ..model.facts import ORCHESTRATOR, STALE_SECONDS
from ..ports import Clock, Cluster
from .cephadm_facts import document_of
from .host_facts import HostFactsRegistry

_EVERY = 3600.0
_SOON = 120.0
# Facts that are taken over in one tick: each waits for the database, some 40 ms.
_A_TICK = 10
_MAPS_AGE = 600.0


class Orchestrator(Protocol):
    """What an orchestrator knows. Both are empty without one."""

    def facts(self) -> Sequence[Mapping[str, Any]]:
        """Cephadm's facts of all hosts."""

    def hardware(self) -> Mapping[str, Any]:
        """By host what its controller reports of its parts."""


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
        self._due = clock.monotonic() + _SOON
        self._waiting: deque[Mapping[str, Any]] = deque()
        self._hardware: Mapping[str, Any] = {}
        self._refused: dict[str, str] = {}

    def tick(self) -> None:
        """To be called every few seconds; asks once an hour."""
        if self._clock.monotonic() >= self._due:
            self._due = self._clock.monotonic() + _EVERY
            self._waiting = deque(self._orchestrator.facts())
            self._hardware = self._orchestrator.hardware() if self._waiting else {}
        for _ in range(min(_A_TICK, len(self._waiting))):
            try:
                self._take(self._waiting[0])
            except StoreUnavailable as error:
                self._log.debug("the orchestrator's facts wait: %s", error)
                return
            self._waiting.popleft()

    def _take(self, raw: Mapping[str, Any]) -> None:
        now = self._clock.now()
        hardware = self._hardware.get(str(raw.get("hostname")))
        document = document_of(raw, hardware if isinstance(hardware, Mapping) else {}, now)
        if document is None or self._tells_itself(document["host"], now):
            return
        try:
            self._hosts.told(document, self._cluster.osds(_MAPS_AGE))
            self._refused.pop(document["host"], None)
        except NotFound:  # hosts without OSDs are of no matter
            pass
        except InvalidValue as error:
            if self._refused.get(document["host"]) != str(error):  # once, not every hour
                self._log.warning("the orchestrator's facts of %s: %s", document["host"], error)
                self._refused[document["host"]] = str(error)

    def _tells_itself(self, host: str, now: float) -> bool:
        """Whether the host's own facts are of these days: they say more."""
        known = self._hosts.known().get(host)
        if known is None or known.facts.source == ORCHESTRATOR:
            return False
        return now - known.facts.collected_at < STALE_SECONDS
