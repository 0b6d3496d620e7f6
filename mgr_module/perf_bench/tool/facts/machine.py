"""Processors, memory, the kernel's parameters, allocators of OSDs, and the speed of CRC32C.

Sources: Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-kernel-iommu_groups,
Documentation/admin-guide/{numastat,mm/transhuge}, Documentation/filesystems/proc of the kernel
(comm, cmdline, maps). Reading the maps of another user's process needs root or the right to trace.
"""

from __future__ import annotations

import ctypes
import re
import time
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


# --- allocators of the processes of OSDs -------------------------------------------------------


_PROGRAM = "ceph-osd"
_NAMES = ("-i", "--id", "-n", "--name")
_NUMBER = re.compile(r"(?:osd\.)?(\d{1,9})$")
# In order of precedence: ceph-osd is never built with both, so jemalloc next to tcmalloc was
# preloaded and serves the process.
_ALLOCATORS = ("jemalloc", "tcmalloc")
_LIBC = "libc"
_STACK = b"[stack]"


def processes(tree: HostFiles) -> list[dict[str, Any]]:
    """The section ``processes``; an OSD whose maps cannot be read is left out."""
    allocators: dict[int, str] = {}
    for name in tree.names("proc"):
        if name.isdigit() and tree.text(f"proc/{name}/comm") == _PROGRAM:
            osd = _osd(tree.data(f"proc/{name}/cmdline") or b"")
            maps = tree.data(f"proc/{name}/maps")
            allocator = _allocator(maps) if maps else None
            if osd is not None and allocator is not None:
                allocators[osd] = allocator
    return [{"osd": osd, "allocator": allocators[osd]} for osd in sorted(allocators)]


def _osd(cmdline: bytes) -> Optional[int]:
    """The OSD's number, from words such as ``--id 3``, ``-n osd.3`` or ``--id=3``."""
    words = cmdline.decode("utf-8", "replace").split("\0")
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, value = word.partition("=")
        if name in _NAMES:
            match = _NUMBER.match(value if equals else after)
            if match:
                return int(match.group(1))
    return None


def _allocator(maps: bytes) -> Optional[str]:
    """The mapped allocator library; libc if there is no other, or it is linked statically.

    None without the stack, one of the last mappings: then maps were read in part.
    """
    files = {line.rpartition(b"/")[2] for line in maps.splitlines() if b"/" in line}
    for name in _ALLOCATORS:
        if any(file.startswith(f"lib{name}".encode()) for file in files):
            return name
    return _LIBC if _STACK in maps else None


# --- how fast one core computes CRC32C with the function that OSDs use -------------------------


# libceph-common is outside the linker's search path; loading librados first makes it found.
_LIBRARIES = ("librados.so.2", "libceph-common.so.2")
_FUNCTION = "ceph_crc32c_func"
# The check value of CRC32C before the final inversion, which Ceph leaves to the caller.
_CHECK = (b"123456789", 0xFFFFFFFF, 0x1CF96D7C)
# Bytes: large enough to hide the call's cost, small enough for a core's cache.
_BLOCK = 64 << 10
_SECONDS = 0.25
# Calls in one timed turn; the fastest turn is the least disturbed.
_TURNS = 64


def crc32c() -> dict[str, Any]:
    """The section ``crc32c``; empty if Ceph's library is not installed."""
    function = _function()
    if function is None:
        return {}
    return {"bytes_per_second": round(_fastest(function))}


def _function() -> Optional[Any]:
    try:
        _, library = map(ctypes.CDLL, _LIBRARIES)
        address = ctypes.c_void_p.in_dll(library, _FUNCTION).value
    except (OSError, ValueError):  # no library, or no such symbol in it
        return None
    if not address:
        return None
    kind = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_uint)
    function = kind(address)
    text, seed, expected = _CHECK
    return function if function(seed, text, len(text)) == expected else None


def _fastest(function: Any) -> float:
    block = bytes(_BLOCK)
    best, until = 0.0, time.perf_counter() + _SECONDS
    while time.perf_counter() < until:
        began = time.perf_counter()
        for _ in range(_TURNS):
            function(0, block, _BLOCK)
        best = max(best, _TURNS * _BLOCK / (time.perf_counter() - began))
    return best
