"""A unit's command on this machine, by its user and behind its restrictions, without systemd.

What systemd does for each directive is played with mounts of a namespace and with setpriv, so that
a service which cannot live behind its own unit is seen. What no mount and no capability shows (when
it is restarted, in which order) is systemd's, and `systemd-analyze verify` looks at it.
"""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

from cluster.api import DevCluster
from cluster.namespaces import REPO

SERVICES = REPO / "mgr_module" / "perf_bench" / "tool" / "services"
# What is played below; a unit with another directive has to be played anew.
_PLAYED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectControlGroups": "yes",
    "CapabilityBoundingSet": "",
    "LimitFSIZE": "1M",
}
# Without a capability no module can be loaded, and without set-ids no file gets one.
_IMPLIED = {"ProtectKernelModules": "yes", "RestrictSUIDSGID": "yes"}
# What systemd gives to services.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
_OF_SYSTEMD = {
    *("ExecStart", "User", "Group", "Restart", "RestartSec", "TimeoutStopSec"),
    *("TasksMax", "MemoryMax"),
}

# The files that a host has, the user and group, the command. The tool is put where pip puts it as
# root. What the sandbox hides is copied before.
_ENTER = """set -eu
conf=$1 keyring=$2 package=$3 user=$4 group=$5
shift 5
mount -t tmpfs -o mode=755 sandbox /usr/local
python=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$python" /usr/local/bin
cp -r "$package" "$python/"
cat > /usr/local/bin/ceph-perf-bench <<END
#!/usr/bin/python3
import sys
from perf_bench.tool.main import main
sys.exit(main())
END
chmod 755 /usr/local/bin/ceph-perf-bench
mkdir -p /etc/ceph
mount -t tmpfs -o mode=755 sandbox /etc/ceph
install -m 644 "$conf" /etc/ceph/ceph.conf
install -g "$group" -m 640 "$keyring" /etc/ceph/ceph.client.perf-bench-worker.keyring
mount -t tmpfs -o mode=755 sandbox /mnt
for device in null zero full random urandom; do
    touch "/mnt/$device"
    mount --bind "/dev/$device" "/mnt/$device"
done
mount --rbind /mnt /dev
for folder in /home /root /run/user; do
    if [ -d "$folder" ]; then mount -t tmpfs -o mode=000,ro sandbox "$folder"; fi
done
mount --bind /proc/sys /proc/sys
for folder in / /usr/local /etc/ceph /mnt /dev /proc/sys /sys; do
    mount -o remount,bind,ro "$folder"
done
for folder in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 sandbox "$folder"; done
cd /
exec prlimit --fsize=1048576 \\
    setpriv --reuid "$user" --regid "$group" --init-groups --no-new-privs \\
    --bounding-set=-all --inh-caps=-all "$@"
"""


def as_service(cluster: DevCluster, unit: str, keyring: Path) -> list[str]:
    """The command that runs the unit's ``ExecStart``; to be run inside the cluster's root."""
    found = ConfigParser(interpolation=None)
    found.optionxform = str  # type: ignore[assignment, method-assign]
    found.read(SERVICES / unit)
    service = dict(found["Service"])
    behind = {key: value for key, value in service.items() if key not in _OF_SYSTEMD}
    assert behind == {**_PLAYED, **_IMPLIED}, "directives that are not played here"
    conf = cluster.spec.dir / "minimal.conf"
    conf.write_text(cluster.ceph("config", "generate-minimal-conf"))
    return [
        "env", "-u", "CEPH_CONF", "-u", "HOME", f"PATH={_PATH}",
        "unshare", "--mount", "sh", "-c", _ENTER, "sh", str(conf), str(keyring),
        str(REPO / "mgr_module" / "perf_bench"), service["User"], service["Group"],
        *service["ExecStart"].split(),
    ]  # fmt: skip
