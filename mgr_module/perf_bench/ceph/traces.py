"""What rounds of clients have left in pools, noted at the monitors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..errors import NotNow
from .mons import Mons

TRACES = "mgr/perf_bench/traces"


class MonLeftovers:
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
            self._mons.command("config-key set", key=TRACES, val=json.dumps(traces))
        else:
            self._mons.command("config-key rm", key=TRACES)
