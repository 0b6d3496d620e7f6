"""The files that a cluster starts from."""

from __future__ import annotations

import base64
import configparser
import struct
from collections.abc import Callable

import pytest

from cluster.conf import new_key, render, render_key
from cluster.spec import Spec


def parsed(spec: Spec, class_dir: str = "") -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(render(spec, class_dir))
    return parser


@pytest.mark.parametrize(
    ("osds", "hosts", "size", "leaf", "reporters"),
    [
        (1, 1, 1, 0, 1),
        (3, 1, 3, 0, 1),
        (6, 2, 2, 1, 1),  # one copy a host, and one host left to report the other
        (6, 3, 3, 1, 2),
        (24, 4, 3, 1, 2),
    ],
)
def test_pools_fit_the_hosts(
    drafted: Callable[..., Spec], osds: int, hosts: int, size: int, leaf: int, reporters: int
) -> None:
    conf = parsed(drafted(osds=osds, hosts=hosts))["global"]
    assert conf.getint("osd pool default size") == size
    assert conf.getint("osd crush chooseleaf type") == leaf
    assert conf.getint("mon osd min down reporters") == reporters


def test_a_pool_of_one_copy_is_a_warning_only_where_there_could_be_more(
    drafted: Callable[..., Spec],
) -> None:
    assert parsed(drafted(osds=1))["global"]["mon warn on pool no redundancy"] == "false"


def test_the_dashboard_is_enabled_only_when_wanted(spec: Spec) -> None:
    assert "dashboard" in parsed(spec)["global"]["mgr initial modules"].split()


def test_an_object_class_folder_is_the_osds(spec: Spec) -> None:
    assert parsed(spec, "/x/classes")["osd"]["osd class dir"] == "/x/classes"
    assert "osd class dir" not in parsed(spec)["osd"]


@pytest.mark.parametrize(("kind", "length"), [(1, 16), (2, 32)])
def test_keys_have_the_form_of_the_sample(kind: int, length: int) -> None:
    sample = base64.b64encode(struct.pack("<HIIH", kind, 1, 2, length) + bytes(length)).decode()
    first, second = (base64.b64decode(new_key(sample)) for _ in range(2))
    assert struct.unpack_from("<H", first) == (kind,)
    assert struct.unpack_from("<H", first, 10) == (length,)
    assert len(first) == 12 + length
    assert first[12:] != second[12:]


def test_rights_stand_in_the_mons_keyring_only() -> None:
    assert 'caps mon = "allow profile osd"' in render_key("osd.3", "K", caps=True)
    assert render_key("osd.3", "K", caps=False) == "[osd.3]\n\tkey = K\n"
