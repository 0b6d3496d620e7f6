"""Bringing daemons back, and knowing when they are."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterable, Sequence

from . import asok, client, daemons
from .errors import ClusterError
from .records import alone
from .spec import Spec
from .waiting import wait_for

_BACK_SECONDS = 300.0


def heal(spec: Spec, names: Iterable[str]) -> None:
    """Let the daemons run on that are stopped, start those that do not run."""
    for name in names:
        daemons.send(spec, name, signal.SIGCONT)
        daemons.start(spec, name)


def restart(spec: Spec, names: Sequence[str]) -> None:
    """Stop and start daemons; returns when they are back."""
    with alone(spec):
        before = mgr_ids(spec, names)
        for name in names:
            daemons.stop(spec, name, grace=10)
        heal(spec, names)
    wait_back(spec, names, before)


def ids_of_dead_mgrs(spec: Spec, names: Iterable[str]) -> dict[str, int]:
    """The ids under which the map still knows mgrs that do not run: their next life has another."""
    return mgr_ids(spec, [name for name in names if not daemons.process_of(spec, name)])


def mgr_ids(spec: Spec, names: Iterable[str]) -> dict[str, int]:
    """Those of `names` that are mgrs in the map, active and standing by, with their ids."""
    wanted = [name for name in names if name.startswith("mgr.")]
    if not wanted:
        return {}
    dump = client.ceph_json(spec, "mgr", "dump", timeout=30)
    found = {f"mgr.{each['name']}": int(each["gid"]) for each in dump["standbys"]}
    if dump["available"]:
        found[f"mgr.{dump['active_name']}"] = int(dump["active_gid"])
    return {name: found[name] for name in wanted if name in found}


def wait_back(spec: Spec, names: Iterable[str], before: dict[str, int]) -> None:
    """Wait until OSDs are up, mons in the quorum, mgrs in the map with another id than `before`."""
    waiting = set(names)

    def back() -> bool:
        waiting.difference_update([name for name in sorted(waiting) if _is_up(spec, name)])
        with contextlib.suppress(ClusterError):  # a busy monitor
            now = mgr_ids(spec, waiting)
            waiting.difference_update([name for name in now if now[name] != before.get(name)])
        return not waiting

    def missing() -> str:
        return f"{', '.join(sorted(waiting))} did not come back"

    wait_for(back, _BACK_SECONDS, missing, every=0.4)


def _is_up(spec: Spec, name: str) -> bool:
    """Whether an OSD is up, or a mon in the quorum; of mgrs the map tells."""
    if not daemons.process_of(spec, name):
        raise ClusterError(f"{name} died again:\n{daemons.tail(spec, name)}")
    with contextlib.suppress(ClusterError):
        # Its own word, for the map may still mean its life before.
        if name.startswith("osd."):
            return bool(asok.ask(spec, name, "status", timeout=2)["state"] == "active")
        if name.startswith("mon."):
            status = asok.ask(spec, name, "mon_status", timeout=2)
            return status["state"] in ("leader", "peon")
    return False
