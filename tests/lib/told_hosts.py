"""Hosts that told facts, once or more often, as the registry keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from evidence import checked
from perf_bench.hardware.enclosures import hardware_of
from perf_bench.hardware.host_facts import known_after
from perf_bench.hardware.rules.enclosure_claims import enclosure_claims
from perf_bench.hardware.rules.errors import errors_told, link_claims, media_claims
from perf_bench.hardware.rules.multipath import path_claims
from perf_bench.model.finding import Claim
from perf_bench.model.hardware import Errors, HardwareSnapshot, HostHistory, KnownHost, facts_of
from perf_bench.model.json_fields import decode
from perf_bench.model.osd import Osd

# When the facts of ``factory.document`` were collected.
THEN, HOUR = 1_700_000_000.0, 3600.0


class Hosts:
    """What is made of their facts; ``fell`` has by OSD when it went down."""

    def __init__(self, osds: Sequence[Osd], *documents: Mapping[str, Any]) -> None:
        self.osds = list(osds)
        self.known: dict[str, KnownHost] = {}
        self.fell: dict[int, float] = {}
        self.now = THEN + 60
        for one in documents:
            self.tells(one)

    def tells(self, told: Mapping[str, Any], at: Optional[float] = None) -> None:
        """A host tells facts, at another time than their own if given."""
        facts = facts_of(told)
        if at is not None:
            facts = replace(facts, collected_at=at)
        own = [osd for osd in self.osds if osd.host == facts.host]
        after = known_after(self.known.get(facts.host), facts, own, facts.collected_at)
        # as it comes back from the database
        memory = decode(HostHistory, json.loads(json.dumps(vars(after.memory))))
        self.known[facts.host] = replace(after, memory=memory)

    def falls(self, *osds: int, at: float = THEN) -> None:
        self.fell.update(dict.fromkeys(osds, at))

    @property
    def seen(self) -> HardwareSnapshot:
        osds = {osd.id: replace(osd, up=osd.up and osd.id not in self.fell) for osd in self.osds}
        made = hardware_of(self.known, self.osds, self.now)
        return replace(made, osds=osds, fell=self.fell)

    @property
    def errors(self) -> list[Errors]:
        seen = self.seen
        return errors_told(self.known, seen.enclosures, seen.drives)

    def claims(self) -> list[Claim]:
        """All that is said against their hardware."""
        seen, errors = self.seen, self.errors
        about = [*enclosure_claims(seen), *path_claims(seen)]
        return checked([*about, *link_claims(errors, self.now), *media_claims(errors, self.now)])
