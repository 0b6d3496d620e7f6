"""The memory allocators that the processes of OSDs use.

Sources: Documentation/filesystems/proc of the kernel (comm, cmdline, maps). Reading the maps of
another user's process needs root or the right to trace it.
"""

from __future__ import annotations

import re
from typing import Any, Optional

from .host_files import HostFiles

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
