"""The files a cluster starts from: ceph.conf and the keys of all its daemons."""

from __future__ import annotations

import base64
import secrets
import struct
import time

from .spec import Spec

_CAPS: dict[str, dict[str, str]] = {
    "mon": {"mon": "allow *"},
    "client": {"mon": "allow *", "mgr": "allow *", "osd": "allow *", "mds": "allow *"},
    "mgr": {"mon": "allow profile mgr", "osd": "allow *", "mds": "allow *"},
    "osd": {"mon": "allow profile osd", "mgr": "allow profile osd", "osd": "allow *"},
}


_KEY = struct.Struct("<HIIH")


def render(spec: Spec, class_dir: str = "") -> str:
    """ceph.conf. `class_dir` is set where a release's own default is wrong."""
    size = min(3, spec.hosts if spec.hosts > 1 else spec.osds)
    few_hosts = spec.hosts < 3
    mons = ",".join(f"[v2:{spec.address}:{port}/0]" for port in spec.mon_ports.values())
    lines = f"""
[global]
fsid = {spec.fsid}
mon host = {mons}
public addr = {spec.address}
cluster addr = {spec.address}
ms bind msgr1 = false
# 60 OSDs take 4 ports each, and two clusters may stand side by side.
ms bind port min = 16800
ms bind port max = 19999
auth allow insecure global id reclaim = false
mon warn on insecure global id reclaim = false
mon warn on insecure global id reclaim allowed = false
keyring = {spec.dir}/keyring
run dir = {spec.dir}/run
crash dir = {spec.dir}/crash
pid file =
osd pool default size = {size}
osd crush chooseleaf type = {0 if spec.hosts == 1 else 1}
mon allow pool delete = true
mgr initial modules = {_initial_modules(spec)}
mon warn on pool no redundancy = {str(size > 1).lower()}
# Whole hosts go down here; with fewer than three there are not two others to report it.
mon osd min down reporters = {1 if few_hosts else 2}
# A developer's disk is fuller than a mon's ought to be.
mon data avail warn = 3
mon data avail crit = 1

[mon]
log file = {spec.dir}/log/$name.log
admin socket = {spec.dir}/run/$name.asok
mon data = {spec.dir}/$name
mon cluster log file = {spec.dir}/log/cluster.log
# A standby takes over from a mgr that is killed after so many seconds; 30 by default.
mon mgr beacon grace = 12

[mgr]
log file = {spec.dir}/log/$name.log
admin socket = {spec.dir}/run/$name.asok
mgr data = {spec.dir}/$name
keyring = {spec.dir}/$name/keyring
mgr module path = {spec.dir}/modules

[osd]
log file = {spec.dir}/log/$name.log
admin socket = {spec.dir}/run/$name.asok
osd data = {spec.dir}/$name
keyring = {spec.dir}/$name/keyring
osd objectstore = bluestore
# Twice this an OSD, of the 65,536 (fs.aio-max-nr) that the whole machine has: 32 OSDs by default.
bdev aio max queue depth = 256
bluestore block size = {spec.osd_bytes}
# Best fit takes again what was freed. Next fit goes on to the end, until each OSD has all its bytes
# on the disk.
bluestore avl alloc bf free pct = 100
# By default RocksDB's log takes up to 1.5 GiB of each OSD.
bluestore rocksdb options annex = write_buffer_size={32 << 20}
bluestore cache autotune = false
bluestore cache size = {64 << 20}
osd memory target = {1 << 30}
"""
    if class_dir:
        lines += f"osd class dir = {class_dir}\n"
    return lines.lstrip()


def _initial_modules(spec: Spec) -> str:
    # Enabled from the start they cost no restart of the mgr. Ceph's own list has `restful`, which
    # on Pacific fails beside the dashboard (two modules with PyO3 in one process).
    names = ["iostat"]
    names += ["dashboard"] if spec.dashboard_ports else []
    # Ours cannot stand here: Pacific parts the list at underscores too, into `perf` and `bench`.
    return " ".join(names)


def new_key(sample: str) -> str:
    """A cephx secret of the form of `sample`: type, creation time, length, random bytes.

    The form is the release's own (20.2.4 takes type 2 with 32 bytes only, 16 and 18 type 1 with
    16), and one call of ceph-authtool for a sample is faster than one for every key.
    """
    kind, _, _, length = _KEY.unpack_from(base64.b64decode(sample))
    return base64.b64encode(
        _KEY.pack(kind, int(time.time()), 0, length) + secrets.token_bytes(length)
    ).decode()


def render_key(name: str, key: str, *, caps: bool) -> str:
    """A keyring's entry; with its rights for the mon, without them for its owner."""
    lines = [f"[{name}]", f"\tkey = {key}"]
    if caps:
        lines += [
            f'\tcaps {kind} = "{what}"' for kind, what in _CAPS[name.partition(".")[0]].items()
        ]
    return "\n".join(lines) + "\n"
