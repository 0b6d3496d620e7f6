"""The releases and what each needs beyond its packages (docs/devcluster.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .errors import UsageError
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
    """The folder of object classes where an OSD's release has a wrong default of it, else ""."""
    for ground in {spec.of(osd).ground for osd in spec.osd_names}:
        found = sorted(Path(ground.root).glob("usr/lib/*/rados-classes"))
        if ground.carried in RELEASES and RELEASES[ground.carried].class_dir and found:
            return f"/{found[0].relative_to(ground.root)}"
    return ""


def check_step(carried: str, wanted: str) -> None:
    """UsageError unless Ceph can be upgraded so: over two releases at most, as these are apart."""
    names = list(RELEASES)
    if wanted not in names or carried not in names:
        raise UsageError(f"it is not known how '{carried}' becomes '{wanted}'")
    step = names.index(wanted) - names.index(carried)
    if step < 0:
        raise UsageError(f"Ceph cannot go back from {carried} to {wanted}")
    if step > 1:
        raise UsageError(f"{carried} must become {names[names.index(carried) + 1]} first")
