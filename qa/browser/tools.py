"""What a browser is driven with: Debian's Chromium, and Playwright as requirements.lock pins it."""

from __future__ import annotations

import sys
from pathlib import Path

from cluster import packages
from cluster.errors import ClusterError
from toolchain.bootstrap import ROOT, Fault, Toolchain, ensure

LOCK = Path(__file__).with_name("requirements.lock")
_TOOLS = Toolchain(ROOT / "build" / "browser", LOCK)
# libatomic1 is what the node that Playwright brings is linked with.
_DEBIAN = ("chromium", "fonts-dejavu-core", "libatomic1")


def tools() -> Path:
    """The folder of programs that drive it, made where it is not there. Raises ClusterError."""
    packages.install(_DEBIAN, lambda text: print(text, file=sys.stderr))
    try:
        return ensure(_TOOLS)
    except Fault as fault:
        raise ClusterError(str(fault)) from fault
