"""A `ceph` for the host tool's tests, as a process or called: it answers as a file tells it.

The file has a JSON object a line: `on` (words that the call must contain, in a row), then `out`,
`err`, `code`, and `hang` to never end. Each call takes the next line; `for_ever` keeps it for all
that follow. A call that is not foreseen gets exit code 2, after which no tool tries again.
Every call is noted in another file as a JSON line of its pid, its arguments, and what it was given
with `-i -`. As a process it finds the files in FAKE_CEPH_PLAY and FAKE_CEPH_CALLS, and the pid of
the test in FAKE_CEPH_TEST: one that hangs ends when the test was killed, but not with its parent,
the tool, which must end it.
"""

from __future__ import annotations

import json
import os
import select
import sys
from pathlib import Path
from typing import Any


def _next_line(play: Path) -> dict[str, Any]:
    line, _, rest = play.read_text(encoding="utf-8").partition("\n")
    entry: dict[str, Any] = json.loads(line) if line else {"on": "nothing more"}
    if not entry.get("for_ever"):
        play.write_text(rest, encoding="utf-8")
    return entry


def answer(play: Path, noted: Path, words: list[str], file: str | None) -> dict[str, Any]:
    """Note the call; the line that answers it."""
    with noted.open("a", encoding="utf-8") as calls:
        calls.write(json.dumps([os.getpid(), words, file]) + "\n")
    entry = _next_line(play)
    if entry["on"] in " ".join(words):
        return entry
    return {"err": f"fake ceph: the play has '{entry['on']}', not {words}\n", "code": 2}


def main() -> int:
    words = sys.argv[1:]
    play, noted = (Path(os.environ[name]) for name in ("FAKE_CEPH_PLAY", "FAKE_CEPH_CALLS"))
    entry = answer(play, noted, words, sys.stdin.read() if "-i" in words else None)
    if entry.get("hang"):
        select.select([os.pidfd_open(int(os.environ["FAKE_CEPH_TEST"]))], [], [])
    sys.stdout.write(entry.get("out", ""))
    sys.stderr.write(entry.get("err", ""))
    return int(entry.get("code", 0))


if __name__ == "__main__":
    sys.exit(main())
