"""The processes of OSDs: whose memory they use.

Sources: Documentation/filesystems/proc of the kernel (comm, cmdline, maps). Maps of another user's
process are for root, or whoever may trace it.
"""

from __future__ import annotations

import re
from typing import Any, Optional

from .host_files import HostFiles

_PROGRAM = "ceph-osd"
_NAMES = ("-i", "--id", "-n", "--name")
_NUMBER = re.compile(r"(?:osd\.)?(\d{1,9})$")
# What stands before another serves the process, so what is put there from outside counts first:
# ceph-osd is never built with jemalloc and tcmalloc at once.
_ALLOCATORS = ("jemalloc", "tcmalloc")
_LIBC = "libc"


def processes(tree: HostFiles) -> list[dict[str, Any]]:
    """The section ``processes``; an OSD whose maps may not be read is left out."""
    found: dict[int, str] = {}
    for name in tree.names("proc"):
        if name.isdigit() and tree.text(f"proc/{name}/comm") == _PROGRAM:
            osd = _osd(tree.data(f"proc/{name}/cmdline") or b"")
            maps = tree.data(f"proc/{name}/maps")
            if osd is not None and maps:
                found[osd] = _allocator(maps)
    return [{"osd": osd, "allocator": found[osd]} for osd in sorted(found)]


def _osd(cmdline: bytes) -> Optional[int]:
    """Which OSD, from words such as ``--id 3``, ``-n osd.3`` or ``--id=3``."""
    words = cmdline.decode("utf-8", "replace").split("\0")
    for word, after in zip(words, [*words[1:], ""]):
        name, equals, value = word.partition("=")
        if name in _NAMES:
            match = _NUMBER.match(value if equals else after)
            if match:
                return int(match.group(1))
    return None


def _allocator(maps: bytes) -> str:
    """The library that is mapped; libc where none other is (or one is linked in statically)."""
    files = {line.rpartition(b"/")[2] for line in maps.splitlines() if b"/" in line}
    for name in _ALLOCATORS:
        if any(file.startswith(f"lib{name}".encode()) for file in files):
            return name
    return _LIBC
