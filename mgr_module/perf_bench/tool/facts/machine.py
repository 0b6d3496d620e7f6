"""Processors, memory and the kernel's parameters.

Sources: Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-kernel-iommu_groups,
Documentation/admin-guide/{numastat,mm/transhuge}, Documentation/filesystems/proc of the kernel.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Optional

from .disks import known
from .host_files import HostFiles

_CPUS = "sys/devices/system/cpu"
_NODES = "sys/devices/system/node"
_CPU = re.compile(r"cpu\d+$")
_NODE = re.compile(r"node\d+$")
_KIB = 1024
# The type of IOMMU domain that passes addresses on; all other types translate them.
_PASSED = "identity"
# The shallowest idle state: the processor polls.
_POLL = "POLL"


def cpu(tree: HostFiles) -> dict[str, Any]:
    """The section ``cpu``; a value that differs between processors is the most common one."""
    entries = _cpuinfo(tree)
    cores = {(one.get("physical id"), one["core id"]) for one in entries if "core id" in one}
    names = [name for name in tree.names(_CPUS) if _CPU.match(name)]
    governors = [tree.text(f"{_CPUS}/{name}/cpufreq/scaling_governor") for name in names]
    return known(
        {
            "model": _most([one.get("model name") for one in entries]),
            "cores": len(cores) or None,
            "threads": len(entries) or None,
            "governor": _most(governors),
            "deepest_cstate": _most([_deepest(tree, name) for name in names]),
            "iommu": _iommu(tree),
        }
    )


def _cpuinfo(tree: HostFiles) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    for line in tree.lines("proc/cpuinfo"):
        key, colon, value = line.partition(":")
        if colon and key.strip() == "processor":
            entries.append({})
        if colon and entries:
            entries[-1][key.strip()] = value.strip()
    return entries


def _most(values: list[Optional[str]]) -> Optional[str]:
    seen = Counter(value for value in values if value)
    return seen.most_common(1)[0][0] if seen else None


def _deepest(tree: HostFiles, name: str) -> Optional[str]:
    """The name of the deepest idle state that is not disabled."""
    place = f"{_CPUS}/{name}/cpuidle"
    states = [one for one in tree.names(place) if one.startswith("state")]
    on = [one for one in states if tree.count(f"{place}/{one}/disable") in (0, None)]
    if not states:
        return None
    if not on:
        return _POLL
    return tree.text(f"{place}/{max(on, key=lambda one: int(one[len('state') :] or 0))}/name")


def _iommu(tree: HostFiles) -> Optional[str]:
    """The IOMMU mode: "off", "passthrough", or "translated" if it is so for any group."""
    if not tree.has("sys/kernel"):
        return None
    groups = tree.names("sys/kernel/iommu_groups")
    if not groups:
        return "off"
    types = {tree.text(f"sys/kernel/iommu_groups/{group}/type") for group in groups}
    if types - {_PASSED, None}:
        return "translated"
    return None if None in types else "passthrough"


def numa(tree: HostFiles) -> dict[str, Any]:
    """The section ``numa``."""
    nodes = [name for name in tree.names(_NODES) if _NODE.match(name)]
    counts: Counter[str] = Counter()
    for name in nodes:
        for line in tree.lines(f"{_NODES}/{name}/numastat"):
            key, _, value = line.partition(" ")
            if value.strip().isdigit():
                counts[key] += int(value)
    wanted = counts["numa_hit"] + counts["numa_miss"]
    missed = round(100 * counts["numa_miss"] / wanted, 3) if wanted else None
    return known({"nodes": len(nodes) or None, "miss_percent": missed})


def memory(tree: HostFiles) -> dict[str, Any]:
    """The section ``memory``."""
    info = {}
    for line in tree.lines("proc/meminfo"):
        key, _, value = line.partition(":")
        words = value.split()
        if words and words[0].isdigit():
            info[key] = int(words[0]) * _KIB
    swap = None
    if "SwapTotal" in info and "SwapFree" in info:
        swap = info["SwapTotal"] - info["SwapFree"]
    chosen = re.search(r"\[(\w+)\]", tree.text("sys/kernel/mm/transparent_hugepage/enabled") or "")
    return known(
        {
            "total_bytes": info.get("MemTotal"),
            "swap_used_bytes": swap,
            "thp": chosen and chosen.group(1),
        }
    )


def kernel(tree: HostFiles) -> dict[str, Any]:
    """The section ``kernel``."""
    return known(
        {
            "release": tree.text("proc/sys/kernel/osrelease"),
            "nvme_io_timeout_seconds": tree.count("sys/module/nvme_core/parameters/io_timeout"),
        }
    )
