"""Other programs install packages too: theirs is waited for, not taken as a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster import packages
from cluster.errors import ClusterError

# As apt-get 2.6 and dpkg 1.21 say it.
APT_BUSY = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 16738 (python3)"
DPKG_BUSY = "dpkg: error: dpkg frontend lock was locked by another process with pid 16738"


def program(folder: Path, text: str) -> list[str]:
    """Fails with `text` at its first call, and then no more."""
    called = folder / "called"
    script = f'[ -e "{called}" ] && exit 0; touch "{called}"; echo "{text}" >&2; exit 100'
    return ["sh", "-c", script]


@pytest.mark.parametrize("text", [APT_BUSY, DPKG_BUSY])
def test_a_lock_that_somebody_holds_is_waited_for(tmp_path: Path, text: str) -> None:
    packages.run_when_free(program(tmp_path, text), every=0.01)


def test_any_other_failure_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="Unable to locate package"):
        packages.run_when_free(program(tmp_path, "E: Unable to locate package x"), every=0.01)


def test_what_is_installed_is_not_missing() -> None:
    assert packages.missing(["dpkg", "no-such-package-here"]) == ["no-such-package-here"]


def test_a_release_root_gets_no_leave_to_take_unsigned_packages() -> None:
    proxy = 'Acquire::http::Proxy "http://proxy.example:3128";'
    lenient = [
        f'Acquire::{name} "1";'
        for name in (
            "AllowInsecureRepositories",
            "AllowWeakRepositories",
            "AllowDowngradeToInsecureRepositories",
        )
    ]
    dump = "\n".join([proxy, *lenient, 'APT::Get::AllowUnauthenticated "1";', 'Dir "/";'])
    assert packages.carried(dump) == f"{proxy}\n"
