"""Taking a cluster away: its processes, then its folder."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

from .errors import ClusterError
from .processes import carrying, end, read_pid_file
from .spec import MARK, UP, Spec
from .waiting import locked_if_free_within


def down(spec: Spec, *, keep_logs: bool = False) -> None:
    """End all that belongs to the cluster and delete its folder, or all but its logs."""
    end_up(spec)
    if not spec.dir.exists():
        return  # the `up` that was told to end cleaned up
    # Who starts or stops daemons holds the lock for seconds; one that hangs is not waited for.
    with locked_if_free_within(spec.dir, 30):
        end_processes(spec)
        kept = (MARK, "log", "ceph.conf") if keep_logs else (MARK,)
        for entry in spec.dir.iterdir():
            if entry.name not in kept:
                _delete(entry)
        if not keep_logs:
            # The mark goes last: a `down` that is broken off can be repeated.
            (spec.dir / MARK).unlink(missing_ok=True)
            spec.dir.rmdir()


def end_up(spec: Spec) -> None:
    """An `up` that still works on this cluster cleans up after itself when told to end."""
    process = read_pid_file(spec.pid_file(UP))
    if process and process.pid != os.getpid() and process.alive:
        process.signal(signal.SIGTERM)
        if not process.ended(60):
            end([process], 0)


def end_processes(spec: Spec) -> None:
    """End every process that carries the cluster's id."""
    # OSDs say goodbye to the mons, and wait 5 s for their word when none is there: they go last.
    mons = [read_pid_file(spec.pid_file(name)) for name in spec.mon_daemons]
    end(process for process in carrying(spec.id) if process not in mons)
    # A player may have started a daemon just before it ended, so look again.
    for _ in range(10):
        found = carrying(spec.id)
        if not found:
            return
        end(found)
    raise ClusterError(f"processes of {spec.dir} come back again and again")


def _delete(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
