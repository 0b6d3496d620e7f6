"""A root file system of the release with its Ceph, which forgets what is done to it; no cluster."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cluster.provide import provide

# Lower root, a folder of the machine to show as /debs, then the script. What is written stays in
# memory, and goes with the process.
_ENTER = """set -eu
stage=$(mktemp -d)
mount -t tmpfs -o mode=755 packages "$stage"
mkdir "$stage/upper" "$stage/work" "$stage/root"
mount -t overlay -o "lowerdir=$1,upperdir=$stage/upper,workdir=$stage/work" packages "$stage/root"
cd "$stage/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$folder"; done
mkdir -p debs
mount --bind "$2" debs
printf '#!/bin/sh\\nexit 101\\n' > usr/sbin/policy-rc.d
chmod 755 usr/sbin/policy-rc.d
exec chroot . sh -euc "$3"
"""


class CleanRoot:
    """Runs shell scripts, each in a root as it was made; ``debs`` is its /debs."""

    def __init__(self, root: str, debs: Path) -> None:
        self._root = root
        self.debs = debs

    def runs(self, script: str) -> str:
        """What the script prints; it must succeed."""
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", _ENTER, "sh", self._root, str(self.debs), script],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="session")
def clean_root(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> CleanRoot:
    ground = provide(str(request.config.getoption("--release")), None, print)
    return CleanRoot(ground.root, tmp_path_factory.mktemp("debs"))


@pytest.fixture(autouse=True, scope="session")
def quiet_log() -> None:
    """There is no mgr."""


@pytest.fixture(autouse=True)
def unchanged() -> None:
    """There is no cluster."""
