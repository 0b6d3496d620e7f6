"""A cluster as one object: what the command line calls, and what tests may import."""

import dataclasses
from typing import Any, Callable, Optional

from . import boot, client, faults, healing, modules, spec as specs, teardown
from .errors import ClusterError
from .info import describe
from .ports import free_ports
from .processes import Process, write_pid_file
from .provide import provide
from .spec import Spec
from .targets import resolve

DEFAULT_OSD_BYTES = 8 << 30


class DevCluster:
    """A running cluster in a folder. `up` makes one, the constructor finds one that was made."""

    def __init__(self, folder: str) -> None:
        self.spec = specs.load(folder)

    @classmethod
    def up(
        cls,
        folder: str,
        *,
        release: str = "native",
        osds: int = 3,
        hosts: int = 1,
        mgrs: int = 1,
        osd_bytes: int = DEFAULT_OSD_BYTES,
        dashboard: bool = True,
        module: bool = True,
        cache: Optional[str] = None,
        keep_failed: bool = False,
        progress: Callable[[str], None] = boot.say,
    ) -> "DevCluster":
        """Boot a cluster; when that fails or is broken off, nothing of it is left."""
        draft = specs.draft(
            folder, release=release, osds=osds, hosts=hosts, mgrs=mgrs,
            osd_bytes=osd_bytes, dashboard=dashboard, module=module,
        )  # fmt: skip
        if draft.dir.exists() and (not draft.dir.is_dir() or any(draft.dir.iterdir())):
            raise ClusterError(f"{draft.dir} exists and is not empty: name a new folder")
        if module:
            modules.check_module()
        ground = provide(release, cache, progress)
        mon, *dashboards = free_ports(1 + len(draft.dashboard_ports))
        spec = dataclasses.replace(
            draft, carried=ground.carried, root=ground.root, wheels=ground.wheels,
            mon_port=mon, dashboard_ports=dict(zip(draft.dashboard_ports, dashboards)),
        )  # fmt: skip
        try:
            _boot(spec, progress)
        except specs.TakenError:
            raise
        except BaseException:
            progress("taking everything down again")
            teardown.down(spec, keep_logs=keep_failed)
            raise
        return cls(folder)

    def ceph(self, *args: str, stdin: str = "", timeout: float = 60.0) -> str:
        """The stdout of `ceph ARGS`; ClusterError with its stderr when it fails."""
        return client.run(self.spec, ["ceph", *args], stdin=stdin, timeout=timeout)

    def ceph_json(self, *args: str, timeout: float = 60.0) -> Any:
        """The parsed answer of `ceph ARGS --format json`."""
        return client.ceph_json(self.spec, *args, timeout=timeout)

    def rados(self, *args: str, stdin: str = "", timeout: float = 60.0) -> str:
        """The stdout of `rados ARGS`; ClusterError with its stderr when it fails."""
        return client.run(self.spec, ["rados", *args], stdin=stdin, timeout=timeout)

    def fault(self, kind: str, *targets: str, seconds: Optional[float] = None, **options: float) -> None:
        """Put a fault in place, or undo it with kind `clear`: see faults.put."""
        if kind == "clear":
            faults.clear(self.spec, targets)
        else:
            faults.put(self.spec, kind, targets, seconds, **options)

    def restart(self, *targets: str) -> None:
        """Stop and start daemons; returns when they are back."""
        healing.restart(self.spec, resolve(self.spec, "clear", targets, lambda: faults.active_mgr(self.spec)))

    def info(self) -> Any:
        return describe(self.spec)

    def down(self) -> None:
        teardown.down(self.spec)


def _boot(spec: Spec, progress: Callable[[str], None]) -> None:
    spec.dir.mkdir(parents=True, exist_ok=True)
    specs.save(spec)
    pid_file = spec.pid_file(specs.UP)
    pid_file.parent.mkdir()
    write_pid_file(pid_file, Process.own())
    boot.Boot(spec, progress).run()
    pid_file.unlink()
