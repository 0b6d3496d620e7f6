"""A cluster as one object: what the command line calls, and what tests may import."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Callable, Optional

from . import boot, client, faults, healing, modules, replacing, teardown, upgrading
from . import spec as specs
from .errors import ClusterError
from .info import describe
from .processes import Process, write_pid_file
from .provide import provide
from .releases import check_step
from .resident import Reply
from .spec import Order, Spec
from .targets import resolve

_DEFAULT = Order()


class DevCluster:
    """A running cluster in a folder. `up` makes one, the constructor finds one that was made."""

    def __init__(self, folder: str) -> None:
        self.spec = specs.load(folder)

    @classmethod
    def up(
        cls,
        folder: str,
        order: Order = _DEFAULT,
        *,
        cache: Optional[str] = None,
        keep_failed: bool = False,
        progress: Callable[[str], None] = boot.say,
    ) -> DevCluster:
        """Boot a cluster; when that fails or is broken off, nothing of it is left."""
        path = specs.checked_dir(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ClusterError(f"{path} exists and is not empty: name a new folder")
        if order.module:
            modules.check_module()
        ground = provide(order.release, cache, progress)
        spec = specs.draft(path, order, ground)
        try:
            _boot(spec, progress)
        except specs.TakenError:
            raise
        except BaseException:
            progress("taking everything down again")
            teardown.down(spec, keep_logs=keep_failed)
            if keep_failed:
                progress(f"the logs are kept in {spec.dir / 'log'}, until down")
            raise
        return cls(folder)

    def staying(self) -> AbstractContextManager[None]:
        """For that time `ceph` commands, of this object and of faults, share a connection."""
        return client.staying(self.spec)

    def types(self, *args: str, timeout: float = 60.0) -> Reply:
        """What `ceph ARGS` leaves on the terminal. Raises subprocess.TimeoutExpired."""
        return client.types(self.spec, ["ceph", *args], timeout=timeout)

    def ceph(self, *args: str, stdin: str = "", timeout: float = 60.0) -> str:
        """The stdout of `ceph ARGS`; ClusterError with its stderr when it fails."""
        return client.run(self.spec, ["ceph", *args], stdin=stdin, timeout=timeout)

    def ceph_json(self, *args: str, timeout: float = 60.0) -> Any:
        """The parsed answer of `ceph ARGS --format json`."""
        return client.ceph_json(self.spec, *args, timeout=timeout)

    def rados(self, *args: str, stdin: str = "", timeout: float = 60.0) -> str:
        """The stdout of `rados ARGS`; ClusterError with its stderr when it fails."""
        return client.run(self.spec, ["rados", *args], stdin=stdin, timeout=timeout)

    def fault(
        self, kind: str, *targets: str, seconds: Optional[float] = None, **options: float
    ) -> None:
        """Put a fault in place, or undo it with kind `clear`: see faults.put."""
        if kind == "clear":
            faults.clear(self.spec, targets)
        else:
            faults.put(self.spec, kind, targets, seconds, **options)

    def restart(self, *targets: str) -> None:
        """Stop and start daemons; returns when they are back."""
        healing.restart(
            self.spec, resolve(self.spec, "clear", targets, lambda: faults.active_mgr(self.spec))
        )

    def replace(self, osd: str) -> None:
        """Make another OSD under the ID of this one, on an empty store; returns when it is up."""
        (name,) = resolve(self.spec, "clear", (osd,), lambda: faults.active_mgr(self.spec))
        if name not in self.spec.osd_names:
            raise ClusterError(f"{osd} is no OSD of this cluster")
        replacing.replace(self.spec, name)

    def upgrade(
        self,
        release: str,
        *targets: str,
        cache: Optional[str] = None,
        progress: Callable[[str], None] = boot.say,
    ) -> None:
        """Restart daemons, all of them if none is named, with the programs of a newer release."""
        names = resolve(
            self.spec, "clear", targets or ("all",), lambda: faults.active_mgr(self.spec)
        )
        check_step(self.spec.carried, release)
        ground = provide(release, cache, progress)
        self.spec = upgrading.upgrade(self.spec, release, ground, names, progress)

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
    with client.staying(spec):
        boot.Boot(spec, progress).run()
    pid_file.unlink()
