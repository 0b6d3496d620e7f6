"""What a cluster is: written into its folder as the mark that the folder is ours."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import secrets
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from .errors import ClusterError, UsageError
from .ports import LOOPBACK, free_ports

MARK = "devcluster.json"
FORMAT = 2
UP = "up"  # the pid file of the `up` that makes the cluster
MGR_NAMES = "xyzwvutsrq"
MON_NAMES = "abcde"
MAX_OSDS = 128
MAX_MAP_OSDS = 50_000
MIN_OSD_BYTES, MAX_OSD_BYTES = 1 << 30, 1 << 44  # of a sparse file
# A UNIX socket's address has 108 bytes; "/run/osd.127.asok" and the end need 18 of them.
MAX_DIR_LENGTH = 88


class TakenError(ClusterError):
    """Another cluster marked the folder first."""


@dataclass(frozen=True)
class Order:
    """What somebody wants: the options of `up`."""

    release: str = "native"
    osds: int = 3
    hosts: int = 1
    mgrs: int = 1
    mons: int = 1
    osd_bytes: int = 5 << 30
    dashboard: bool = True
    module: bool = True
    address: str = LOOPBACK
    # Of the OSD map, with the real ones; 0 for those alone.
    map_osds: int = 0

    def __post_init__(self) -> None:
        _limit("--osds", self.osds, 1, MAX_OSDS)
        _limit("--hosts", self.hosts, 1, self.osds)
        _limit("--mgrs", self.mgrs, 1, len(MGR_NAMES))
        _limit("--mons", self.mons, 1, len(MON_NAMES))
        _limit("--osd-size", self.osd_bytes, MIN_OSD_BYTES, MAX_OSD_BYTES)
        if self.map_osds:
            _limit("--map-osds", self.map_osds, self.osds + 1, MAX_MAP_OSDS)


@dataclass(frozen=True)
class Ground:
    """Where a release's programs are.

    `carried` is the release that it is, "" for one we know nothing special of; `root` the folder
    its programs run in, "/" for this machine's own; `wheels` a folder of Python packages that
    ceph-mgr must find first, or "".
    """

    carried: str
    root: str
    wheels: str


@dataclass(frozen=True)
class Spec:
    """One cluster; what it got from its order and its ground is called as there."""

    id: str
    dir: Path
    release: str
    carried: str
    root: str
    wheels: str
    fsid: str
    mon_ports: dict[str, int]  # by the mon's name
    dashboard_ports: dict[str, int]  # one a mgr; empty without a dashboard
    dashboard_password: str
    osds: int
    hosts: int
    mgrs: tuple[str, ...]
    osd_bytes: int
    module: bool
    address: str = LOOPBACK  # where its daemons listen, all but the dashboard
    map_osds: int = 0  # OSDs of the map, with those that exist only in it; 0 for the real ones
    # While an upgrade goes on: what daemons run that are not of the release yet.
    older: dict[str, Ground] = field(default_factory=dict)

    @property
    def ground(self) -> Ground:
        return Ground(self.carried, self.root, self.wheels)

    def of(self, daemon: str) -> Spec:
        """The spec with the programs that this daemon runs."""
        ground = self.older.get(daemon)
        return dataclasses.replace(self, **dataclasses.asdict(ground)) if ground else self

    @property
    def conf(self) -> Path:
        return self.dir / "ceph.conf"

    @property
    def host_names(self) -> tuple[str, ...]:
        return tuple(f"host-{i}" for i in range(self.hosts))

    @property
    def osd_names(self) -> tuple[str, ...]:
        return tuple(f"osd.{i}" for i in range(self.osds))

    @property
    def mon_daemons(self) -> tuple[str, ...]:
        return tuple(f"mon.{name}" for name in self.mon_ports)

    @property
    def mgr_daemons(self) -> tuple[str, ...]:
        return tuple(f"mgr.{name}" for name in self.mgrs)

    @property
    def daemons(self) -> tuple[str, ...]:
        """All daemons in the order in which they start."""
        return (*self.mon_daemons, *self.mgr_daemons, *self.osd_names)

    def host_of(self, daemon: str) -> str:
        """OSDs, mgrs and mons go round the hosts."""
        kind, _, name = daemon.partition(".")
        names = {"mgr": self.mgrs, "mon": tuple(self.mon_ports)}
        index = int(name) if kind == "osd" else names[kind].index(name)
        return f"host-{index % self.hosts}"

    def osds_of(self, host: str) -> tuple[str, ...]:
        return tuple(name for name in self.osd_names if self.host_of(name) == host)

    def daemons_of(self, host: str) -> tuple[str, ...]:
        return tuple(name for name in self.daemons if self.host_of(name) == host)

    def pid_file(self, name: str) -> Path:
        return self.dir / "run" / f"{name}.pid"

    def log(self, name: str) -> Path:
        return self.dir / "log" / f"{name}.log"

    def output(self, name: str) -> Path:
        """Where a daemon's stdout and stderr go."""
        return self.dir / "log" / f"{name}.out"


def draft(folder: Path, order: Order, ground: Ground) -> Spec:
    """The spec of a new cluster, with its random parts and free ports."""
    names = tuple(MGR_NAMES[: order.mgrs])
    served = names if order.dashboard else ()
    mons = MON_NAMES[: order.mons]
    found = free_ports(len(mons) + len(served), order.address)
    mon_ports, ports = found[: len(mons)], found[len(mons) :]
    return Spec(
        id=secrets.token_hex(16),
        dir=folder,
        release=order.release,
        carried=ground.carried,
        root=ground.root,
        wheels=ground.wheels,
        fsid=str(uuid.uuid4()),
        mon_ports=dict(zip(mons, mon_ports)),
        dashboard_ports=dict(zip(served, ports)),
        dashboard_password=secrets.token_urlsafe(12) if served else "",
        osds=order.osds,
        hosts=order.hosts,
        mgrs=names,
        osd_bytes=order.osd_bytes,
        module=order.module,
        address=order.address,
        map_osds=order.map_osds,
    )


def _limit(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{option} must be from {low} to {high}, not {value}")


def checked_path(folder: str) -> Path:
    """The absolute path of `folder`, refused when Ceph or mount could misread it."""
    path = Path(os.path.realpath(folder))
    if not re.fullmatch(r"[A-Za-z0-9._/+@-]+", str(path)):
        raise UsageError(f"the path {path} has characters other than letters, digits and ._/+@-")
    return path


def checked_dir(folder: str) -> Path:
    """The absolute path of a cluster's folder, refused when no socket could be bound in it."""
    path = checked_path(folder)
    if len(str(path)) > MAX_DIR_LENGTH:
        raise UsageError(
            f"the path {path} is longer than {MAX_DIR_LENGTH} characters (a socket's limit)"
        )
    return path


def save(spec: Spec) -> None:
    """Mark the folder with the spec, in one step; fails when it has a mark already."""
    new = _written(spec)
    try:
        os.link(new, spec.dir / MARK)
    except FileExistsError:
        raise TakenError(f"{spec.dir} was taken by another up at the same time") from None
    finally:
        new.unlink()


def replace_mark(spec: Spec) -> None:
    """Put the spec in the place of the folder's mark."""
    _written(spec).rename(spec.dir / MARK)


def _written(spec: Spec) -> Path:
    fields = dataclasses.asdict(spec)
    fields.update(format=FORMAT, dir=str(spec.dir))
    new = spec.dir / f"{MARK}.{spec.id}"
    new.write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")
    new.chmod(0o600)
    return new


def load(folder: str) -> Spec:
    """The spec of a cluster folder; ClusterError for a folder that devcluster did not make."""
    path = checked_dir(folder)
    if not path.is_dir():
        raise ClusterError(f"there is no folder {path}")
    try:
        fields = json.loads((path / MARK).read_text(encoding="utf-8"))
        if fields.pop("format") != FORMAT:
            raise ClusterError(f"{path} was made by another version of devcluster")
        # A folder that was moved is not the one its daemons know.
        if Path(fields.pop("dir")) != path:
            raise ClusterError(f"{path} was moved since devcluster made it")
        older = {name: Ground(**ground) for name, ground in fields.pop("older", {}).items()}
        return Spec(**{**fields, "dir": path, "mgrs": tuple(fields["mgrs"]), "older": older})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ClusterError(f"{path} was not made by devcluster") from None
