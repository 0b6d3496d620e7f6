"""What a cluster is: placement, limits, and the mark in its folder."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from cluster import spec as specs
from cluster.errors import ClusterError, UsageError
from cluster.spec import Ground, Spec


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


def test_a_moved_folder_is_refused(spec: Spec) -> None:
    specs.save(spec)
    moved = spec.dir.rename(spec.dir.with_name("moved"))
    with pytest.raises(ClusterError, match="was moved"):
        specs.load(str(moved))


@pytest.mark.parametrize("folder", ["/srv/a b", "/srv/a,b", "/srv/a:b", "/srv/$name", "/srv/ä"])
def test_a_path_that_would_be_misread_is_refused(folder: str) -> None:
    with pytest.raises(UsageError, match="characters other than"):
        specs.checked_dir(folder)
