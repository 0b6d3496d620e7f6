"""Measure how fast one core computes CRC32C with the function that OSDs use."""

from __future__ import annotations

import ctypes
import time
from typing import Any, Optional

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
