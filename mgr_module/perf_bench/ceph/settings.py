"""The settings that a round may change, and the journal of them, both at the monitors.

Read from the monitors and not from the mgr's copies, which lag behind an order by moments; and
kept there, so that the journal is at hand also while no placement group is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional

from ..errors import NotFound, NotNow
from .mons import Mons

JOURNAL = "mgr/perf_bench/quiesce"
TUNING_JOURNAL = "mgr/perf_bench/mclock"
TRACES = "mgr/perf_bench/traces"
_BALANCER = "config/mgr/mgr/balancer/active"


class MonSettings:
    """The Settings of run/quiesce; names and values as ``model.quiesce`` says.

    "balancer" is None where nobody has set it: then it is on.
    """

    def __init__(self, mons: Mons) -> None:
        self._mons = mons

    def read(self, what: str) -> Optional[str]:
        kind, _, name = what.partition("/")
        if what == "balancer":
            value = self._option(_BALANCER)
            return value and ("on" if value.lower() in ("true", "1", "yes") else "off")
        if kind == "flag":
            flags = self._mons.asked("osd dump")["flags"].split(",")
            return "set" if name in flags else "unset"
        if kind == "pool":
            number, _, field = name.partition("/")
            return str(self._pool(number)[field])
        if kind == "config":
            return self._option(what)
        raise NotFound(f"no setting '{what}'")

    def set(self, what: str, value: Optional[str]) -> None:
        kind, _, name = what.partition("/")
        if what == "balancer":
            self._set_option(_BALANCER, value and ("true" if value == "on" else "false"))
        elif kind == "flag":
            self._mons.order("osd set" if value == "set" else "osd unset", key=name)
        elif kind == "pool":
            number, _, field = name.partition("/")
            pool = self._pool(number)["pool_name"]
            self._mons.order("osd pool set", pool=pool, var=field, val=value)
        elif kind == "config":
            self._set_option(what, value)
        else:
            raise NotFound(f"no setting '{what}'")

    def moving_pools(self) -> list[int]:
        """The pools that the autoscaler would split or merge if it were let."""
        return [
            pool["pool_id"]
            for pool in self._mons.asked("osd pool autoscale-status")
            if pool["would_adjust"] and pool["pg_autoscale_mode"] == "on"
        ]

    def _pool(self, number: str) -> Mapping[str, Any]:
        for pool in self._mons.asked("osd pool ls", detail="detail"):
            if str(pool["pool_id"]) == number:
                found: Mapping[str, Any] = pool
                return found
        raise NotFound(f"no pool {number}")

    def _option(self, what: str) -> Optional[str]:
        """What the configuration database has for that section itself; None for nothing."""
        _, section, name = what.split("/", 2)
        for entry in self._mons.asked("config dump"):
            if (entry["section"], entry["name"], entry["mask"]) == (section, name, ""):
                return str(entry["value"])
        return None

    def _set_option(self, what: str, value: Optional[str]) -> None:
        _, section, name = what.split("/", 2)
        if value is None:
            self._mons.order("config rm", who=section, name=name)
        else:
            self._mons.order("config set", who=section, name=name, value=value)


class MonTraces:
    """The TraceKeeper of run/load: at the monitors, so that it is at hand while no pool is."""

    def __init__(self, mons: Mons) -> None:
        self._mons = mons

    def load_traces(self) -> Mapping[str, str]:
        text = self._mons.key(TRACES)
        try:
            found: Mapping[str, str] = json.loads(text) if text else {}
        except ValueError:
            raise NotNow(
                f"what rounds have left in pools cannot be read: look at 'ceph config-key get "
                f"{TRACES}', remove those objects by hand, and then it"
            ) from None
        return found

    def save_traces(self, traces: Mapping[str, str]) -> None:
        if traces:
            self._mons.order("config-key set", key=TRACES, val=json.dumps(traces))
        else:
            self._mons.order("config-key rm", key=TRACES)


class MonJournal:
    """The JournalKeeper of run/quiesce, under a key of the monitors' store."""

    def __init__(self, mons: Mons, key: str = JOURNAL) -> None:
        self._mons = mons
        self._key = key

    def load(self) -> Optional[Mapping[str, Any]]:
        text = self._mons.key(self._key)
        if not text:
            return None
        try:
            found: Mapping[str, Any] = json.loads(text)
        except ValueError:
            raise NotNow(
                f"the journal of what was changed cannot be read: look at 'ceph config-key get "
                f"{self._key}', put that back by hand, and remove it"
            ) from None
        return found

    def save(self, journal: Optional[Mapping[str, Any]]) -> None:
        if journal is None:
            self._mons.order("config-key rm", key=self._key)
        else:
            self._mons.order("config-key set", key=self._key, val=json.dumps(journal))
