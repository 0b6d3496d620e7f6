"""The command that brings a program into its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cluster.namespaces import inside
from cluster.spec import Spec

RELEASE_ROOT = "/var/cache/roots/reef"


def test_a_native_program_without_a_host_name_is_run_as_it_is(spec: Spec) -> None:
    assert inside(spec, ["ceph", "-s"]) == ["ceph", "-s"]


def test_a_native_daemon_gets_a_host_name_and_no_mounts(spec: Spec) -> None:
    argv = inside(spec, ["ceph-osd", "--id", "1"], host="host-1")
    assert argv[:2] == ["unshare", "--uts"]
    assert argv[-4:] == ["host-1", "ceph-osd", "--id", "1"]
    assert "--mount" not in argv


@pytest.mark.parametrize("host", ["", "host-1"])
def test_another_release_is_run_in_mounts_of_its_own(
    drafted: Callable[..., Spec], host: str
) -> None:
    spec = drafted(root=RELEASE_ROOT)
    argv = inside(spec, ["ceph", "-s"], host=host)
    assert argv[:2] == ["unshare", "--mount"]
    assert ("--uts" in argv, "host-1" in argv) == (bool(host), bool(host))
    assert argv[argv.index(RELEASE_ROOT) - 1] == str(spec.dir / "stage")
    assert argv[-3:] == ["--", "ceph", "-s"]


@pytest.mark.parametrize(
    ("folder", "is_shown"),
    [
        ("/srv/tests", True),
        ("/home/me", True),
        ("/var/lib/x", True),
        ("/", False),  # these would hide the release's own files
        ("/etc", False),
        ("/usr/share/ceph", False),
        ("/var", False),
        ("", False),
    ],
)
def test_folders_are_shown_unless_they_are_the_systems(
    drafted: Callable[..., Spec], folder: str, is_shown: bool
) -> None:
    spec = drafted(root=RELEASE_ROOT)
    argv = inside(spec, ["true"], shown=[folder])
    folders = argv[argv.index(RELEASE_ROOT) + 2 : argv.index("--", argv.index(RELEASE_ROOT))]
    assert (folder in folders) == is_shown
    assert str(spec.dir) in folders or spec.dir.is_relative_to("/dev")  # which is there anyway
