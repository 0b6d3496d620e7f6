"""One librados client that obeys JSON lines: the plain hand that rounds are compared with.

This file runs alone, on the Python of the cluster's root, where only the library and `rados` are
sure to be. Each order is a line on stdin, each answer one on stdout:

    {"do": "mgr", "command": {...}}                          -> {"code", "out", "err"}
    {"do": "chain", "waves": [[0, 1], ...], "repeats": 3, "command": {...}}
                                                             -> {"seconds", "calls": [[...], ...]}

or `{"error": "a sentence"}`.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import rados


def _mgr(client: rados.Rados, order: dict[str, Any]) -> dict[str, Any]:
    code, out, err = client.mgr_command(json.dumps(order["command"]), b"")
    return {"code": code, "out": out.decode(), "err": err}


def _chain(client: rados.Rados, order: dict[str, Any]) -> dict[str, Any]:
    """The waves one after the other, `repeats` times; a wave's OSDs together."""
    command = json.dumps(order["command"])

    def tell(osd: int) -> float:
        began = time.monotonic()
        code, _, err = client.osd_command(osd, command, b"")
        if code:
            raise RuntimeError(f"osd.{osd} answered {code}: {err}")
        return time.monotonic() - began

    calls: list[list[float]] = []
    with ThreadPoolExecutor(max(map(len, order["waves"]))) as hands:
        began = time.monotonic()
        for _ in range(order["repeats"]):
            calls.extend(list(hands.map(tell, wave)) for wave in order["waves"])
        seconds = time.monotonic() - began
    return {"seconds": seconds, "calls": calls}


def main() -> None:
    """Obey until stdin ends. The cluster is the one that CEPH_CONF names."""
    client = rados.Rados(name="client.admin", conffile="")
    client.connect(timeout=30)
    try:
        for line in sys.stdin:
            order = json.loads(line)
            try:
                answer = {"mgr": _mgr, "chain": _chain}[order["do"]](client, order)
            except (rados.Error, RuntimeError) as error:
                answer = {"error": str(error)}
            print(json.dumps(answer), flush=True)
    finally:
        client.shutdown()


if __name__ == "__main__":
    main()
