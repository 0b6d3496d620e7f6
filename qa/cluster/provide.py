"""The ground a cluster stands on: the release's programs, on this machine or in a root of their own."""

from dataclasses import dataclass
from typing import Callable, Optional

from . import packages
from .errors import ClusterError
from .releases import PACKAGES, RELEASES

NEEDED = "devcluster needs Debian 12 or newer with apt-get"


@dataclass(frozen=True)
class Ground:
    """Where the programs are: `root` is "/" for this machine's own."""

    carried: str
    root: str
    wheels: str


def provide(asked: str, cache: Optional[str], progress: Callable[[str], None]) -> Ground:
    """Install what the asked release needs, unless it is there."""
    system = packages.os_release()
    if system.get("ID") != "debian":
        raise ClusterError(f"{NEEDED}; this is {system.get('PRETTY_NAME', 'another system')}")
    suite = system.get("VERSION_CODENAME", "")
    native = next((r.name for r in RELEASES.values() if r.suite == suite), "")
    if asked in ("native", native):
        packages.install(PACKAGES, progress)
        return Ground(native, "/", "")
    raise ClusterError("not yet")
