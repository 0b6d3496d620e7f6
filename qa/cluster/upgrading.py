"""A cluster's daemons with the programs of a newer release, as Ceph's release notes upgrade them.

Their order there: monitors, mgrs, OSDs host by host, then `require-osd-release`. The flag `noout`
is left to who upgrades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Callable

from . import client, conf, healing, modules, releases
from .errors import UsageError
from .records import alone
from .spec import Ground, Spec, replace_mark
from .waiting import wait_for

_CLEAN_SECONDS = 180.0


def upgrade(
    spec: Spec,
    release: str,
    ground: Ground,
    names: Sequence[str],
    progress: Callable[[str], None],
) -> Spec:
    """Restart the daemons that are older; returns the spec once they are back and PGs are clean."""
    batches = _batches(spec, names)
    grounds = {name: spec.of(name).ground for name in spec.daemons}
    older = {name: own for name, own in grounds.items() if own != ground}
    spec = replace(spec, release=release, older=older, **asdict(ground))
    for batch in batches:
        moved = [name for name in batch if name in spec.older]
        if moved:
            older = {name: own for name, own in spec.older.items() if name not in moved}
            spec = replace(spec, older=older)
            _restart(spec, moved)
            progress(f"{', '.join(moved)} run {release}")
    if not spec.older:
        client.run(spec, ["ceph", "osd", "require-osd-release", ground.carried])
        progress(f"OSDs of {ground.carried} are required")
    return spec


def _batches(spec: Spec, names: Sequence[str]) -> list[Sequence[str]]:
    """What is restarted at once. Raises UsageError."""
    mgrs = [name for name in spec.mgr_daemons if name in names]
    if mgrs and len(mgrs) != len(spec.mgrs):
        raise UsageError("the mgrs share a folder of modules: upgrade all of them at once")
    mons = [[name] for name in spec.mon_daemons if name in names]
    osds = [[name for name in spec.osds_of(host) if name in names] for host in spec.host_names]
    return [*mons, mgrs, *osds]


def _restart(spec: Spec, batch: Sequence[str]) -> None:
    with alone(spec):
        replace_mark(spec)
        spec.conf.write_text(conf.render(spec, releases.class_dir(spec)), encoding="utf-8")
        if batch[0].startswith("mgr."):
            modules.make_module_path(spec)
    client.renew(spec)
    healing.restart(spec, batch)
    wait_for(lambda: _is_clean(spec), _CLEAN_SECONDS, lambda: "PGs did not become clean")


def _is_clean(spec: Spec) -> bool:
    states = client.ceph_json(spec, "status", timeout=30)["pgmap"].get("pgs_by_state", [])
    return all(state["state_name"] == "active+clean" for state in states)
