"""Which daemons are restarted with a newer release, in which order, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cluster import client, healing, modules, upgrading
from cluster import spec as specs
from cluster.errors import UsageError
from cluster.releases import check_step, class_dir
from cluster.spec import Ground, Spec

REEF = Ground("reef", "/reef", "/wheels")


class Played:
    """Restarts and commands, none of which is carried out."""

    def __init__(self, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spec, self.done = spec, []  # type: tuple[Spec, list[str]]
        specs.save(spec)
        monkeypatch.setattr(healing, "restart", self._restart)
        monkeypatch.setattr(
            modules, "make_module_path", lambda spec: self.done.append(spec.carried)
        )
        monkeypatch.setattr(client, "run", self._run)

    def _restart(self, spec: Spec, names: Sequence[str]) -> None:
        assert {spec.of(name).root for name in names} == {"/reef"}
        assert specs.load(str(spec.dir)) == spec
        self.done.append(" ".join(names))

    def _run(self, _: Spec, argv: Sequence[str], **__: object) -> str:
        if "status" in argv:
            return json.dumps({"pgmap": {"pgs_by_state": [{"state_name": "active+clean"}]}})
        self.done.append(" ".join(argv))
        return ""

    def upgrade(self, *names: str) -> list[str]:
        self.done.clear()
        chosen = names or self.spec.daemons
        self.spec = upgrading.upgrade(self.spec, "reef", REEF, chosen, lambda _: None)
        return list(self.done)


@pytest.fixture
def played(drafted: Callable[..., Spec], monkeypatch: pytest.MonkeyPatch) -> Played:
    return Played(drafted(osds=4, hosts=2, mgrs=2, mons=3), monkeypatch)


def test_mons_then_mgrs_then_osds_host_by_host_then_the_release_is_required(
    played: Played,
) -> None:
    assert played.upgrade() == [
        *("mon.a", "mon.b", "mon.c", "reef", "mgr.x mgr.y", "osd.0 osd.2", "osd.1 osd.3"),
        "ceph osd require-osd-release reef",
    ]
    assert played.spec.older == {}
    assert played.upgrade() == ["ceph osd require-osd-release reef"]


def test_only_what_is_named_and_then_the_rest(played: Played) -> None:
    assert played.upgrade("mgr.x", "mgr.y", "osd.2") == ["reef", "mgr.x mgr.y", "osd.2"]
    assert set(played.spec.older) == {"mon.a", "mon.b", "mon.c", "osd.0", "osd.1", "osd.3"}
    assert played.spec.of("osd.0").ground == Ground("pacific", "/", "")
    rest = ["mon.a", "mon.b", "mon.c", "osd.0", "osd.1 osd.3", "ceph osd require-osd-release reef"]
    assert played.upgrade() == rest


def test_one_mgr_alone_is_refused(played: Played) -> None:
    with pytest.raises(UsageError, match="upgrade all of them at once"):
        played.upgrade("mgr.x")
    assert played.done == []


@pytest.mark.parametrize(
    ("carried", "wanted", "sentence"),
    [
        ("pacific", "tentacle", "pacific must become reef first"),
        ("reef", "pacific", "Ceph cannot go back from reef to pacific"),
        ("", "reef", "it is not known how '' becomes 'reef'"),
    ],
)
def test_steps_that_ceph_does_not_support_are_refused(
    carried: str, wanted: str, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_step(carried, wanted)
    for one in ("pacific", "reef", "tentacle"):
        check_step(one, one)  # the rest of an upgrade


def test_an_osd_of_reef_among_others_has_its_folder_of_classes(
    tmp_path: Path, drafted: Callable[..., Spec]
) -> None:
    (tmp_path / "reef/usr/lib/some/rados-classes").mkdir(parents=True)
    spec = drafted(root="/nowhere", carried="tentacle", osds=2)
    assert class_dir(spec) == ""
    spec.older["osd.1"] = Ground("reef", str(tmp_path / "reef"), "")
    assert class_dir(spec) == "/usr/lib/some/rados-classes"
