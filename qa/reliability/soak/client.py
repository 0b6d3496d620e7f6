"""A client of the cluster with a small load: `python3 client.py CONF POOL SECONDS RATE [RATE …]`.

Writes 8 KiB objects, RATE a second, each rate for an equal part of the time. At its end it prints
one line of JSON: the seconds that each write took, in the order of their starts, and the errors. It
runs in the cluster's own root, so it imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

_OBJECTS = 500
_BYTES = 8192


def main(conf: str, pool: str, seconds: float, *rates: float) -> None:
    """Write at the rates, or as fast as writes are answered."""
    import rados  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415 - of the release

    client: Any = rados.Rados(conffile=conf, name="client.admin")
    client.connect(timeout=30)
    began, number = time.monotonic(), 0
    due = began
    took: list[float] = []
    errors: list[str] = []
    with client.open_ioctx(pool) as objects:
        while time.monotonic() < began + seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            part = int((due - began) / seconds * len(rates))
            due += 1 / rates[min(part, len(rates) - 1)]
            sent = time.monotonic()
            try:
                objects.write_full(f"soak-{number % _OBJECTS}", bytes(_BYTES))
            except rados.Error as error:
                errors.append(str(error))
            took.append(round(time.monotonic() - sent, 5))
            number += 1
    print(json.dumps({"took": took, "errors": errors}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
