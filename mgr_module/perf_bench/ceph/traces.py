"""Keep notes of objects that rounds of clients have left in pools, at the monitors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..errors import NotNow
from ..model.said import say
from .mons import Mons

TRACES = "mgr/perf_bench/traces"


class MonLeftovers:
    """Implements TraceKeeper with a key of the monitors, which needs no pool to be available."""

    def __init__(self, mons: Mons) -> None:
        self._mons = mons

    def load_traces(self) -> Mapping[str, str]:
        text = self._mons.key(TRACES)
        try:
            traces: Mapping[str, str] = json.loads(text) if text else {}
        except ValueError:
            raise NotNow(
                say(
                    "traces-unread",
                    "the list of objects that rounds have left in pools cannot be read: print it "
                    "with 'ceph config-key get {key}', remove those objects by hand, then the key",
                    key=TRACES,
                )
            ) from None
        return traces

    def save_traces(self, traces: Mapping[str, str]) -> None:
        if traces:
            self._mons.command("config-key set", key=TRACES, val=json.dumps(traces))
        else:
            self._mons.command("config-key rm", key=TRACES)
