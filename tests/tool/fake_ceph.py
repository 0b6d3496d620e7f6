"""A `ceph` for the host tool's tests: it answers as the file FAKE_CEPH_PLAY tells it.

The file has a JSON object a line: `on` (words that the call must contain, in a row), then `out`,
`err`, `code`, and `hang` to never end. Each call takes the next line; `for_ever` keeps it for all
that follow. A call that is not foreseen gets exit code 2, after which no tool tries again.
Every call is noted in FAKE_CEPH_CALLS as a JSON line of its pid, its arguments, and what it was
given with `-i -`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any


def _next_line(play: Path) -> dict[str, Any]:
    line, _, rest = play.read_text(encoding="utf-8").partition("\n")
    entry: dict[str, Any] = json.loads(line) if line else {"on": "nothing more"}
    if not entry.get("for_ever"):
        play.write_text(rest, encoding="utf-8")
    return entry


def main() -> int:
    words = sys.argv[1:]
    with Path(os.environ["FAKE_CEPH_CALLS"]).open("a", encoding="utf-8") as calls:
        file = sys.stdin.read() if "-i" in words else None
        calls.write(json.dumps([os.getpid(), words, file]) + "\n")
    entry = _next_line(Path(os.environ["FAKE_CEPH_PLAY"]))
    if entry["on"] not in " ".join(words):
        sys.stderr.write(f"fake ceph: the play has '{entry['on']}', not {words}\n")
        return 2
    if entry.get("hang"):
        signal.pause()
    sys.stdout.write(entry.get("out", ""))
    sys.stderr.write(entry.get("err", ""))
    return int(entry.get("code", 0))


if __name__ == "__main__":
    sys.exit(main())
