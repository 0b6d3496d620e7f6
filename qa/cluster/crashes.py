"""Daemons that ended though nobody here ended them, and whether the reason is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Optional

from .daemons import LOST, lost
from .spec import Spec

# Debian 13's Reef on Python 3.13: ceph-mgr dies in this function now and then (docs/devcluster.md).
REEF_ILLNESS = "reef-python3.13-gil"
# A mgr that has just become active ends if a client comes before its keys (seen on 16 and 18).
KEYS_ILLNESS = "authorizer-before-keys"
# The dump of recent events that follows a crash says all again, but indented.
_STARTED = re.compile(r"^\d{4}-\S+ .* (\w+) \(\w+[^)]*\), process ceph-\w+, pid (\d+)$")
_CAUGHT = re.compile(r"^(?:\d{4}-\S+ .*)?\*\*\* Caught signal \((.+?)\) \*\*")
_REEF_FRAME = re.compile(r"^ \d+: .*MonCommandCompletion::finish")
_ASSERTED = re.compile(r"^\./src/auth/Crypto\.h: \d+: FAILED ceph_assert\(ckh\)$")
_DUMP = "--- begin dump of recent events ---"


@dataclass(frozen=True)
class Crash:
    """One death. `signal` is None when the daemon did not log one (SIGKILL, or a plain exit)."""

    daemon: str
    pid: int
    signal: Optional[str]
    known: Optional[str] = None


def is_known(crash: Crash) -> bool:
    """Whether the distribution is to blame, not the cluster's user."""
    return crash.known is not None


def read_log(daemon: str, lines: Iterable[str]) -> list[Crash]:
    """The crashes in a daemon's log, whose lives may be of several releases."""
    found: list[Crash] = []
    release, pid = "", 0
    in_trace = asserted = False
    for line in lines:
        started, caught = _STARTED.match(line), _CAUGHT.match(line)
        if started:
            release, pid, asserted = started.group(1), int(started.group(2)), False
        if not asserted and _ASSERTED.match(line):
            # The signal may follow, and may not.
            asserted = True
            found.append(Crash(daemon, pid, None, KEYS_ILLNESS))
        elif caught and asserted:
            found[-1] = replace(found[-1], signal=caught.group(1))
        elif caught:
            found.append(Crash(daemon, pid, caught.group(1)))
        in_trace = bool(caught) or (in_trace and not started and _DUMP not in line)
        if in_trace and release == "reef" and _REEF_FRAME.match(line):
            found[-1] = replace(found[-1], known=REEF_ILLNESS)
    return found


def crashes_of(spec: Spec, daemon: str) -> list[Crash]:
    """All crashes of one daemon since the cluster was made."""
    path = spec.log(daemon)
    found: list[Crash] = []
    if path.exists():
        with path.open(encoding="utf-8", errors="replace") as log:
            found = read_log(daemon, log)
    pids = {crash.pid for crash in found}
    gone = [note["pid"] for note in _notes(spec) if note["daemon"] == daemon]
    ended = lost(spec, daemon)
    gone += [ended.pid] if ended else []
    return found + [Crash(daemon, pid, None) for pid in gone if pid not in pids]


def crashes(spec: Spec) -> list[dict[str, Any]]:
    """All crashes of all daemons, as `info` shows them."""
    return [asdict(crash) for daemon in spec.daemons for crash in crashes_of(spec, daemon)]


def _notes(spec: Spec) -> list[dict[str, Any]]:
    path = spec.dir / LOST
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
