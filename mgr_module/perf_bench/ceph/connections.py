"""Open connections to the cluster with the mgr's credentials and with time limits."""

from __future__ import annotations

from mgr_module import MgrModule
from rados import Rados

from .client import open_client
from .cluster import mon_hosts
from .commands import RadosCommands
from .osd_map import OsdMapReader
from .probe import LIMIT as PROBE_LIMIT
from .probe import RadosProber
from .read_probe import reads

# Seconds after which a round's reading process is killed: the longest round takes about a day.
_READER_SECONDS = 2 * 86400.0


class Connections:
    """Opens connections; each method raises CommandFailed without the monitors."""

    def __init__(self, mgr: MgrModule, maps: OsdMapReader) -> None:
        self._mgr = mgr
        self._maps = maps

    def credentials(self) -> dict[str, str]:
        """The credentials for a client or a helper process."""
        return {
            "name": f"mgr.{self._mgr.get_mgr_id()}",
            "keyring": str(self._mgr.get_ceph_option("keyring") or ""),
            "mon_host": mon_hosts(self._mgr),
        }

    def client(self, limit: float) -> Rados:
        """A client whose calls take at most ``limit`` seconds."""
        return open_client(limit=limit, **self.credentials())

    def commands(self, limit: float) -> RadosCommands:
        """A round's connection to the OSDs."""
        access = self.credentials()
        client = open_client(limit=limit, **access)
        return RadosCommands(client, limit, reads(limit=limit, seconds=_READER_SECONDS, **access))

    def prober(self) -> RadosProber:
        """The watch's connection for probes."""
        return RadosProber(self._mgr, self.client(PROBE_LIMIT), self._maps)
