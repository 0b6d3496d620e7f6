"""Open connections to the cluster with the mgr's credentials and with time limits."""

from __future__ import annotations

import errno
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from functools import partial

from mgr_module import MgrModule
from rados import Rados

from ..core.workers import Workers
from ..errors import CommandFailed
from .client import SharedClient, open_client
from .cluster import mon_hosts
from .commands import RadosCommands
from .read_probe import reads

# Seconds after which a round's reading process is killed: the longest round takes about a day.
_READER_SECONDS = 2 * 86400.0
# Seconds for one's turn and for connecting, which takes up to 15 s without monitors.
_OPEN_SECONDS = 20.0


class Connections:
    """Opens connections; each method raises CommandFailed without the monitors."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr
        # glibc keeps what a thread has freed for threads with the same arena, of which there are
        # eight for each core. A client takes more than 1 MiB for its options, so clients of threads
        # that come and go, as those of rounds do, would leave that in each arena.
        self._opener = Workers("perf-bench-client", 1, idle_seconds=None)
        self._closed = False

    def credentials(self) -> dict[str, str]:
        """The credentials for a client or a helper process."""
        return {
            "name": f"mgr.{self._mgr.get_mgr_id()}",
            "keyring": str(self._mgr.get_ceph_option("keyring") or ""),
            "mon_host": mon_hosts(self._mgr),
        }

    def client(self, limit: float) -> Rados:
        """A client whose calls take at most ``limit`` seconds; waits at most 20 s for it."""
        if self._closed:
            raise CommandFailed(errno.ESHUTDOWN, "perf_bench is being stopped")
        opening = self._opener.submit(partial(open_client, limit=limit, **self.credentials()))
        try:
            return opening.result(_OPEN_SECONDS)
        except NoAnswer:
            if not opening.cancel():
                opening.add_done_callback(_shut_down)
            raise CommandFailed(
                errno.ETIMEDOUT,
                f"cannot connect to the cluster within {_OPEN_SECONDS:.0f} s: others wait for the "
                "monitors, too",
            ) from None

    def commands(self, limit: float) -> RadosCommands:
        """A round's connection to the OSDs."""
        client = SharedClient(lambda: self.client(limit), "the round has ended")
        client.open()
        process = reads(limit=limit, seconds=_READER_SECONDS, **self.credentials())
        return RadosCommands(client, limit, process)

    def close(self) -> None:
        """Open nothing any more; later calls raise CommandFailed."""
        self._closed = True
        self._opener.close()


def _shut_down(opening: Future[Rados]) -> None:
    """Shut down a client that came after nobody waited for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().shutdown()
