"""What the parts run on: the packages of requirements.lock, in a folder of their own."""

from __future__ import annotations

from pathlib import Path

from toolchain.bootstrap import ROOT, Toolchain

TOOLS = Toolchain(
    ROOT / "build" / "reliability" / "tools", Path(__file__).with_name("requirements.lock")
)
