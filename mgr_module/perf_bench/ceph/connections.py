"""As whom, and where, we connect to the cluster: as the mgr itself, with time limits of our own."""

from __future__ import annotations

from mgr_module import MgrModule
from rados import Rados

from .client import open_client
from .cluster import mon_hosts
from .commands import RadosCommands
from .probe import LIMIT as PROBE_LIMIT
from .probe import RadosProber
from .read_probe import reads

# A process that reads for a round is not needed for longer: twelve rests of two hours are a day.
_READER_SECONDS = 2 * 86400.0


class Connections:
    """Opens connections; each raises CommandFailed where there is no way to the monitors."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr

    def credentials(self) -> dict[str, str]:
        """What a process of ours connects with."""
        return {
            "name": f"mgr.{self._mgr.get_mgr_id()}",
            "keyring": str(self._mgr.get_ceph_option("keyring") or ""),
            "mon_host": mon_hosts(self._mgr),
        }

    def client(self, limit: float) -> Rados:
        """A client whose calls take at most ``limit`` seconds."""
        return open_client(limit=limit, **self.credentials())

    def commands(self, limit: float) -> RadosCommands:
        """A round's way to the OSDs."""
        words = self.credentials()
        client = open_client(limit=limit, **words)
        return RadosCommands(client, limit, reads(limit=limit, seconds=_READER_SECONDS, **words))

    def prober(self) -> RadosProber:
        """The watch's way for small operations."""
        return RadosProber(self._mgr, self.client(PROBE_LIMIT))
