"""Which mgr has which files of the module, as the monitors know it.

Each mgr, also a standby, tells the monitors which modules it has, with their options and defaults,
whether they are enabled or not. The default of the option ``module_build`` is the build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

MODULE = "perf_bench"
BUILD_OPTION = "module_build"
# The monitors' key in which the active module writes its build.
MARK_KEY = f"mgr/{MODULE}/installed"


class MgrBuild(NamedTuple):
    """``build`` is None where the mgr has no module; ``error`` says why it cannot run it."""

    name: str
    is_active: bool
    build: Optional[str]
    error: str = ""


def mgr_builds(mgr_map: Mapping[str, Any]) -> list[MgrBuild]:
    """All mgrs of the cluster, the active one first. Raises KeyError, TypeError."""
    found = []
    if mgr_map["active_name"]:
        modules = mgr_map["available_modules"]
        found.append(MgrBuild(str(mgr_map["active_name"]), True, *_build(modules)))
    standbys = sorted(mgr_map["standbys"], key=lambda one: str(one["name"]))
    return found + [
        MgrBuild(str(one["name"]), False, *_build(one["available_modules"])) for one in standbys
    ]


def _build(modules: Sequence[Mapping[str, Any]]) -> tuple[Optional[str], str]:
    for module in modules:
        if module["name"] == MODULE:
            option = module["module_options"].get(BUILD_OPTION, {})
            error = "" if module["can_run"] else str(module["error_string"])
            return str(option.get("default_value", "of a version before 0.1.0")), error
    return None, ""
