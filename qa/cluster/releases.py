"""The releases and what each needs beyond its packages (docs/devcluster.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .spec import Spec

PACKAGES = (
    "ceph-mon",
    "ceph-mgr",
    "ceph-osd",
    "ceph-common",
    "ceph-mgr-dashboard",
    "ceph-mgr-modules-core",
    "libsqlite3-mod-ceph",
)


@dataclass(frozen=True)
class Release:
    """A Ceph release and the Debian suite that carries it."""

    name: str
    suite: str
    # The lock file of what ceph-mgr must find before the suite's own packages.
    wheels: str = ""
    python: str = ""
    class_dir: bool = False


RELEASES: dict[str, Release] = {
    release.name: release
    for release in (
        Release("pacific", "bookworm"),
        Release(
            "reef",
            "trixie",
            wheels="wheels-reef.lock",
            python="3.13",
            class_dir=True,
        ),
        Release("tentacle", "forky"),
    )
}


def class_dir(spec: Spec) -> str:
    """The folder of the OSD's object classes where the release's own default is wrong, else ""."""
    found = sorted(Path(spec.root).glob("usr/lib/*/rados-classes"))
    needed = spec.carried in RELEASES and RELEASES[spec.carried].class_dir
    return f"/{found[0].relative_to(spec.root)}" if needed and found else ""
