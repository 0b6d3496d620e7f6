"""Open connections to the cluster with the mgr's credentials and with time limits."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor

from mgr_module import MgrModule
from rados import Rados

from ..errors import CommandFailed
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
        # glibc keeps what a thread has freed for threads with the same arena, of which there are
        # eight for each core. A client takes more than 1 MiB for its options, so clients of threads
        # that come and go, as those of rounds do, would leave that in each arena.
        self._opener = ThreadPoolExecutor(1, "perf-bench-client")

    def credentials(self) -> dict[str, str]:
        """The credentials for a client or a helper process."""
        return {
            "name": f"mgr.{self._mgr.get_mgr_id()}",
            "keyring": str(self._mgr.get_ceph_option("keyring") or ""),
            "mon_host": mon_hosts(self._mgr),
        }

    def client(self, limit: float) -> Rados:
        """A client whose calls take at most ``limit`` seconds."""
        access = self.credentials()
        try:
            opening = self._opener.submit(open_client, limit=limit, **access)
        except RuntimeError as error:  # closed, or the interpreter ends
            raise CommandFailed(errno.ESHUTDOWN, "perf_bench is being stopped") from error
        return opening.result()

    def commands(self, limit: float) -> RadosCommands:
        """A round's connection to the OSDs."""
        access = self.credentials()
        client = self.client(limit)
        return RadosCommands(client, limit, reads(limit=limit, seconds=_READER_SECONDS, **access))

    def prober(self) -> RadosProber:
        """The watch's connection for probes."""
        return RadosProber(self._mgr, self.client(PROBE_LIMIT), self._maps)

    def close(self) -> None:
        """Open nothing any more; later calls raise CommandFailed."""
        self._opener.shutdown(wait=False)
