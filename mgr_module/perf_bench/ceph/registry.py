"""Ceph 20 looks a command up among a module's decorated ones first, also where it has none.

A module without the class attribute ``CLICommand`` loads there, and then each of its commands
ends in an AttributeError. Older releases look into a registry of their own and ignore it.
"""

from __future__ import annotations

from typing import Any

import mgr_module


def command_registry() -> Any:
    """An empty registry where this release wants one, else None."""
    base = getattr(mgr_module, "CLICommandBase", None)
    return None if base is None else base.make_registry_subtype("PerfBenchCLI")
