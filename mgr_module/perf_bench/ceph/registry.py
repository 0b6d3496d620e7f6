"""The registry of decorated commands that Ceph 20 requires, also if a module has none.

Ceph 20 looks each command up there first: without the class attribute ``CLICommand`` a module
loads, but each of its commands raises AttributeError. Older releases ignore the attribute.
"""

from __future__ import annotations

from typing import Any

import mgr_module


def command_registry() -> Any:
    """An empty registry if this release needs one, else None."""
    base = getattr(mgr_module, "CLICommandBase", None)
    return None if base is None else base.make_registry_subtype("PerfBenchCLI")
