"""Daemons that ended though nobody here ended them, and whether the reason is known."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Optional

from .daemons import LOST, lost
from .spec import Spec

# Debian 13's Reef on Python 3.13: ceph-mgr dies in this function now and then (RELEASE notes).
REEF_ILLNESS = "reef-python3.13-gil"
_REEF_FRAME = re.compile(r"^ \d+: .*MonCommandCompletion::finish")
_STARTED = re.compile(r"process ceph-\w+, pid (\d+)$")
_CAUGHT = re.compile(r"\*\*\* Caught signal \((.+?)\) \*\*")


@dataclass(frozen=True)
class Crash:
    """One death. `signal` is None when the daemon left no word of one (SIGKILL, or a plain exit)."""

    daemon: str
    pid: int
    signal: Optional[str]
    known: Optional[str] = None


def is_known(crash: Crash) -> bool:
    return crash.known is not None


def read_log(daemon: str, lines: Iterable[str], carried: str) -> List[Crash]:
    """The crashes in a daemon's log, at most one a process: the dump after it says all again."""
    found: Dict[int, Crash] = {}
    pid = 0
    for line in lines:
        started = _STARTED.search(line)
        caught = _CAUGHT.search(line)
        if started:
            pid = int(started.group(1))
        elif caught and pid not in found:
            found[pid] = Crash(daemon, pid, caught.group(1))
        elif pid in found and carried == "reef" and _REEF_FRAME.match(line):
            found[pid] = Crash(daemon, pid, found[pid].signal, REEF_ILLNESS)
    return list(found.values())


def crashes_of(spec: Spec, daemon: str) -> List[Crash]:
    """All crashes of one daemon since the cluster was made."""
    path = spec.log(daemon)
    found: List[Crash] = []
    if path.exists():
        with open(path, encoding="utf-8", errors="replace") as log:
            found = read_log(daemon, log, spec.carried)
    pids = {crash.pid for crash in found}
    gone = [note["pid"] for note in _notes(spec) if note["daemon"] == daemon]
    ended = lost(spec, daemon)
    gone += [ended.pid] if ended else []
    return found + [Crash(daemon, pid, None) for pid in gone if pid not in pids]


def crashes(spec: Spec) -> List[Dict[str, Any]]:
    """All crashes of all daemons, as `info` shows them."""
    return [asdict(crash) for daemon in spec.daemons for crash in crashes_of(spec, daemon)]


def _notes(spec: Spec) -> List[Dict[str, Any]]:
    path = spec.dir / LOST
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
