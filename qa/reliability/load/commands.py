"""Commands to the mgr, many at once, by the release's own library.

``python3 commands.py CONF SECONDS COUNT COMMAND...``: COUNT threads that give the commands in turn,
one beside them that asks the balancer, which is another module, twice a second. Prints one line of
JSON: by command the seconds of each answer, by error how often it came, and how many were refused
for now (EAGAIN). It runs in the cluster's own root, so it imports nothing of ours.
"""

from __future__ import annotations

import errno
import json
import sys
import threading
import time
from collections import Counter, defaultdict
from typing import Any

OTHER = "balancer status"
_OTHER_EVERY = 0.5


class Commands:
    """Gives commands from many threads over one connection, and keeps what comes of them."""

    def __init__(self, client: Any, seconds: float) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._until = time.monotonic() + seconds
        self.took: dict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()
        self.refused = 0

    def many(self, first: int, commands: list[str]) -> None:
        """Give them in turn, each as soon as the one before is answered."""
        turn = first
        while time.monotonic() < self._until:
            self._ask(commands[turn % len(commands)])
            turn += 1

    def other(self) -> None:
        """Ask the other module now and then."""
        while time.monotonic() < self._until:
            self._ask(OTHER)
            time.sleep(_OTHER_EVERY)

    def _ask(self, command: str) -> None:
        prefix, _, number = command.partition(" id=")
        words: dict[str, Any] = {"prefix": prefix, "format": "json"}
        if number:
            words["id"] = number
        began = time.monotonic()
        code = 0
        try:
            code, out, said = self._client.mgr_command(json.dumps(words), b"")
            error = f"{code}: {said}" if code else wrong(command, json.loads(out))
        except Exception as fault:  # noqa: BLE001 - any error is told
            error = f"{type(fault).__name__}: {fault}"
        with self._lock:
            self.took[command].append(time.monotonic() - began)
            if code == -errno.EAGAIN:
                self.refused += 1
            elif error:
                self.errors[f"{command}: {error}"[:300]] += 1


def main(conf: str, seconds: float, count: int, commands: list[str]) -> None:
    """Give the commands and print what came of them."""
    import rados  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415 - of the release

    client: Any = rados.Rados(conffile=conf, name="client.admin")
    client.connect(timeout=30)
    made = Commands(client, seconds)
    threads = [
        threading.Thread(target=made.many, args=(number, commands)) for number in range(count)
    ]
    threads.append(threading.Thread(target=made.other))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {"took": made.took, "errors": made.errors, "refused": made.refused}
    print(json.dumps(found), flush=True)


def wrong(prefix: str, answer: Any) -> str:
    """Why an answer cannot be right; empty if it may be."""
    if prefix.endswith("status"):
        return "" if isinstance(answer, dict) and answer else "no status"
    if " id=" in prefix:
        return "" if str(answer["id"]) == prefix.partition(" id=")[2] else "another round"
    return "" if isinstance(answer, list) and answer else "an empty list"


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
