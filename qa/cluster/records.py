"""The faults in place, as files in the cluster's folder: what to undo, and who plays it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .errors import ClusterError
from .processes import read_pid_file
from .spec import MARK, UP, Spec
from .waiting import locked


@dataclass(frozen=True)
class Fault:
    """One fault command, times in seconds.

    `until` is on the machine's monotonic clock; None: until cleared.
    """

    id: str
    kind: str
    daemons: tuple[str, ...]
    until: Optional[float] = None
    stop: float = 0.45  # a bench of 0.1 s must not fit between two stops
    run: float = 0.05
    delay: float = 0.05

    @property
    def player(self) -> str:
        """The name of the process that plays it, if one does."""
        return f"fault-{self.id}"

    @property
    def left(self) -> Optional[float]:
        """Seconds until it ends by itself."""
        return None if self.until is None else max(0.0, self.until - time.monotonic())


def faults(spec: Spec) -> list[Fault]:
    """The faults in place."""
    found = []
    for path in sorted((spec.dir / "faults").glob("*.json")):
        fields = json.loads(path.read_text(encoding="utf-8"))
        found.append(Fault(**{**fields, "daemons": tuple(fields["daemons"])}))
    return found


def write(spec: Spec, fault: Fault) -> None:
    """Record a fault, in place of the record it had."""
    path = _record(spec, fault)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(dataclasses.asdict(fault)), encoding="utf-8")
    new.rename(path)


def remove(spec: Spec, fault: Fault) -> None:
    """Strike a fault off; its player has ended, or is the caller."""
    _record(spec, fault).unlink()
    spec.pid_file(fault.player).unlink(missing_ok=True)


def _record(spec: Spec, fault: Fault) -> Path:
    return spec.dir / "faults" / f"{fault.id}.json"


@contextlib.contextmanager
def alone(spec: Spec) -> Iterator[None]:
    """Nothing else changes faults, or starts or stops daemons of this cluster, meanwhile."""
    up = read_pid_file(spec.pid_file(UP))
    if up and up.alive:
        raise ClusterError(f"the cluster in {spec.dir} is still being made")
    gone = ClusterError(f"the cluster in {spec.dir} was taken down")
    if not spec.dir.exists():
        raise gone
    with locked(spec.dir):
        if not (spec.dir / MARK).exists():
            raise gone
        yield
