"""Hosts apart: network namespaces on a bridge, each with its own address and bandwidth."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator

# Carrier-grade space: no office and no cloud has it.
_NET = "100.{a}.{b}"


class Networks:
    """A bridge of this machine, and namespaces behind it; all of it gone when it is closed."""

    def __init__(self) -> None:
        number = os.getpid() % 16384
        self._base = _NET.format(a=64 + number // 256, b=number % 256)
        self._tag = f"pb{number}"
        self.address = f"{self._base}.1"
        self._names: list[str] = []
        _ip("link", "add", "name", self._tag, "type", "bridge")
        _ip("addr", "add", f"{self.address}/24", "dev", self._tag)
        _ip("link", "set", self._tag, "up")

    def add(self, mbit: int = 0) -> str:
        """A new namespace, whose way out is ``mbit`` wide (0: as it comes); its name."""
        number = len(self._names) + 2
        name = f"{self._tag}n{number}"
        outside, inside = f"{self._tag}o{number}", "eth0"
        _ip("netns", "add", name)
        self._names.append(name)
        _ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
        _ip("link", "set", outside, "master", self._tag, "up")
        _ip("-n", name, "addr", "add", f"{self._base}.{number}/24", "dev", inside)
        _ip("-n", name, "link", "set", inside, "up")
        _ip("-n", name, "link", "set", "lo", "up")
        if mbit:
            rate = ("rate", f"{mbit}mbit", "burst", "128k", "latency", "100ms")
            _run("tc", "-n", name, "qdisc", "add", "dev", inside, "root", "tbf", *rate)
        return name

    def cut(self, name: str) -> None:
        """Pull its cable."""
        _ip("-n", name, "link", "set", "eth0", "down")

    def close(self) -> None:
        for name in self._names:
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip("netns", "del", name)
        _ip("link", "del", self._tag)


@contextlib.contextmanager
def networks() -> Iterator[Networks]:
    made = Networks()
    try:
        yield made
    finally:
        made.close()


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
