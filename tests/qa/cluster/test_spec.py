"""What a cluster is: placement, limits, and the mark in its folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster import spec as specs
from cluster.errors import ClusterError, UsageError
from cluster.spec import Ground, Order, Spec


def test_osds_and_mgrs_go_round_the_hosts(spec: Spec) -> None:
    assert [spec.host_of(osd) for osd in spec.osd_names] == [f"host-{i}" for i in [0, 1, 2] * 2]
    assert [spec.host_of(mgr) for mgr in spec.mgr_daemons] == ["host-0", "host-1"]
    assert spec.host_of("mon.a") == "host-0"
    assert spec.osds_of("host-1") == ("osd.1", "osd.4")


def test_hosts_share_the_osds_as_evenly_as_can_be(drafted: Callable[..., Spec]) -> None:
    spec = drafted(osds=7, hosts=3)
    assert [len(spec.osds_of(host)) for host in spec.host_names] == [3, 2, 2]


def test_ports_are_all_different(spec: Spec) -> None:
    ports = [*spec.mon_ports.values(), *spec.dashboard_ports.values()]
    assert len(set(ports)) == 1 + 2


def test_mons_go_round_the_hosts(drafted: Callable[..., Spec]) -> None:
    spec = drafted(osds=6, hosts=3, mgrs=2, mons=3)
    assert spec.mon_daemons == ("mon.a", "mon.b", "mon.c")
    assert len(set(spec.mon_ports.values())) == 3
    assert spec.daemons_of("host-1") == ("mon.b", "mgr.y", "osd.1", "osd.4")


def test_without_a_dashboard_there_is_no_port_and_no_password(tmp_path: Path) -> None:
    bare = specs.draft(tmp_path, Order(dashboard=False), specs.Ground("", "/", ""))
    assert (bare.dashboard_ports, bare.dashboard_password) == ({}, "")


@pytest.mark.parametrize(
    ("order", "option"),
    [
        ({"osds": 0}, "--osds"),
        ({"osds": 129}, "--osds"),
        ({"hosts": 0}, "--hosts"),
        ({"osds": 3, "hosts": 4}, "--hosts"),  # a host without an OSD is in no CRUSH map
        ({"mgrs": 0}, "--mgrs"),
        ({"mgrs": 11}, "--mgrs"),
        ({"mons": 6}, "--mons"),
        ({"osd_bytes": 4096}, "--osd-size"),
    ],
)
def test_an_order_that_cannot_be_is_refused(order: dict[str, int], option: str) -> None:
    with pytest.raises(UsageError, match=f"^{option} must be"):
        Order(**order)  # type: ignore[arg-type]


def test_the_mark_is_read_back_as_it_was_written(spec: Spec) -> None:
    specs.save(spec)
    assert specs.load(str(spec.dir)) == spec


def test_no_one_else_may_read_the_mark(spec: Spec) -> None:
    specs.save(spec)  # the dashboard's password is in it
    assert (spec.dir / specs.MARK).stat().st_mode & 0o077 == 0


def test_a_daemon_has_the_programs_of_its_release_until_it_is_upgraded(spec: Spec) -> None:
    specs.save(spec)
    now = dataclasses.replace(spec, root="/reef", carried="reef", older={"osd.1": spec.ground})
    specs.replace_mark(now)
    found = specs.load(str(spec.dir))
    assert found == now
    assert found.of("osd.1").ground == Ground("pacific", "/", "")
    assert found.of("osd.2").ground == Ground("reef", "/reef", "")
    assert not list(spec.dir.glob(f"*{spec.id}*"))


def test_the_first_mark_stays(spec: Spec) -> None:
    specs.save(spec)
    second = dataclasses.replace(spec, id="another")
    with pytest.raises(specs.TakenError):
        specs.save(second)
    assert specs.load(str(spec.dir)) == spec
    assert not list(spec.dir.glob("*another*"))


@pytest.mark.parametrize(
    "mark",
    [
        None,
        "",
        "not JSON",
        "[]",
        "{}",
        json.dumps({"format": 2}),
        json.dumps({"format": 2, "dir": "/", "id": "1"}),
    ],
)
def test_a_folder_without_a_whole_mark_is_not_ours(tmp_path: Path, mark: str | None) -> None:
    if mark is not None:
        (tmp_path / specs.MARK).write_text(mark, encoding="utf-8")
    with pytest.raises(ClusterError, match=r"was not made by devcluster$|was moved"):
        specs.load(str(tmp_path))


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="there is no folder"):
        specs.load(str(tmp_path / "gone"))


def test_a_moved_folder_is_refused(spec: Spec) -> None:
    specs.save(spec)
    moved = spec.dir.rename(spec.dir.with_name("moved"))
    with pytest.raises(ClusterError, match="was moved"):
        specs.load(str(moved))


@pytest.mark.parametrize("folder", ["/srv/a b", "/srv/a,b", "/srv/a:b", "/srv/$name", "/srv/ä"])
def test_a_path_that_would_be_misread_is_refused(folder: str) -> None:
    with pytest.raises(UsageError, match="characters other than"):
        specs.checked_dir(folder)


def test_a_path_too_long_for_a_socket_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than 88"):
        specs.checked_dir("/srv/" + "x" * 84)
    assert len(f"{specs.checked_dir('/srv/' + 'x' * 83)}/run/osd.127.asok") < 108
