"""What a round holds in the cluster's settings, looked at within milliseconds."""

from __future__ import annotations

import pytest

from scenarios.fingerprint import JOURNAL, Daemons, Fingerprints

# Long enough to be met in the middle, and to be carried on.
ROUND = ("osd-throughput", "--repeats", "3")
# Still under way when everything has been looked at; aborted then.
LONG_ROUND = ("osd-throughput", "--repeats", "20")


class Settings:
    """What daemons go by and what is recorded, within milliseconds."""

    def __init__(self, daemons: Daemons) -> None:
        self._daemons = daemons
        # What a scenario before has left is only watched, as ``unchanged`` knows.
        self._old = self._keys()

    def flags(self) -> set[str]:
        return set(self._daemons.mon("osd dump")["flags"].split(","))

    def config(self) -> dict[tuple[str, str], str]:
        rows = self._daemons.mon("config dump")
        return {(row["section"], row["name"]): row["value"] for row in rows}

    def journal(self) -> list[str]:
        """The keys of the journal that are new; none before something is held."""
        return sorted(self._keys() - self._old)

    def balancer_is_off(self) -> bool:
        """As the balancer itself says."""
        return not self._daemons.mgr("balancer status")["active"]

    def _keys(self) -> set[str]:
        return set(self._daemons.mon("config-key dump", key=JOURNAL))


@pytest.fixture
def settings(fingerprints: Fingerprints) -> Settings:
    """Before a scenario that looks for them no scrub is off; ``unchanged`` looks after it."""
    found = Settings(fingerprints.daemons)
    assert not {"noscrub", "nodeep-scrub"} & found.flags()
    return found
