"""Keep notes of objects that rounds of clients have left in pools, at the monitors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from .mons import Mons

# A key each, so that a mgr that was replaced and wakes up overwrites none of the next one's.
_NOTES = "mgr/perf_bench/traces"


class MonLeftovers:
    """Implements LeftoverKeeper with keys of the monitors, which need no pool to be available."""

    def __init__(self, mons: Mons) -> None:
        self._mons = mons

    def load(self) -> Mapping[str, str]:
        found = self._mons.command_json("config-key dump", key=_NOTES)
        whole = found.pop(_NOTES, None)  # versions before had all in one
        if whole is not None:
            for namespace, pool in json.loads(whole).items():
                self.add(namespace, pool)
                found[_key(namespace)] = pool
            self._mons.command("config-key rm", key=_NOTES)
        first = len(_key(""))
        return {key[first:]: pool for key, pool in found.items()}

    def add(self, namespace: str, pool: str) -> None:
        self._mons.command("config-key set", key=_key(namespace), val=pool)

    def remove(self, namespace: str) -> None:
        self._mons.command("config-key rm", key=_key(namespace))


def _key(namespace: str) -> str:
    return f"{_NOTES}/{namespace}"
