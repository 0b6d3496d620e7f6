"""The place a program runs in: a host name of its own, and for other releases another root.

Every program gets its own mount namespace, so no mount is ever seen by the machine, and the kernel
takes all of them away with the program, whatever ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .spec import Spec

REPO = Path(__file__).resolve().parents[2]
_SCRATCH = "/tmp"  # noqa: S108 - the machine's own, shown to programs
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_HOST = 'hostname "$1" && shift && exec "$@"'

# stage lower cwd, folders to show at their own path, "--", the command. The root is an overlay on a
# tmpfs: what a program writes outside the shown folders never reaches the shared root file system.
ENTER_ROOT = """set -eu
stage=$1 lower=$2 cwd=$3
shift 3
mount -n -t tmpfs -o mode=755 devcluster "$stage"
mkdir "$stage/upper" "$stage/work" "$stage/root"
layers="lowerdir=$lower,upperdir=$stage/upper,workdir=$stage/work"
mount -n -t overlay -o "$layers" devcluster "$stage/root"
cd "$stage/root"
for folder in proc sys dev; do mount -n --rbind "/$folder" "$folder"; done
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir -p ".$1"; mount -n --bind "$1" ".$1"; fi
    shift
done
shift
exec chroot . sh -c 'cd "$1" 2>/dev/null || cd /; shift; exec "$@"' sh "$cwd" "$@"
"""
_OF_THE_SYSTEM = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "proc",
    "run",
    "sbin",
    "sys",
    "usr",
)


def inside(
    spec: Spec, argv: Sequence[str], *, host: str = "", shown: Sequence[str] = (), cwd: str = "/"
) -> list[str]:
    """The command that runs `argv` in the cluster's root, as `host` when one is named.

    `shown` are folders of the machine that the program sees at the same path, beside the cluster's.
    """
    if spec.root == "/":
        if not host:
            return list(argv)
        return ["unshare", "--uts", "sh", "-c", _HOST, "sh", host, *argv]
    named = ["sh", "-c", _HOST, "sh", host] if host else []
    uts = ["--uts"] if host else []
    folders = [folder for folder in (_SCRATCH, *shown, str(spec.dir)) if _may_be_shown(folder)]
    return [
        "unshare", "--mount", *uts, *named, "sh", "-c", ENTER_ROOT, "sh",
        str(spec.dir / "stage"), spec.root, cwd, *folders, "--", *argv,
    ]  # fmt: skip


def _may_be_shown(folder: str) -> bool:
    """A folder of the system would hide the other root's own."""
    parts = Path(folder).parts
    return len(parts) > 1 and parts[1] not in _OF_THE_SYSTEM and parts != ("/", "var")
