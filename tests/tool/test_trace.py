"""The recorded latencies, piece by piece."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perf_bench.tool.main import main

if TYPE_CHECKING:
    from tests.tool.conftest import Play


def _piece(*rows: str, following: object = None) -> str:
    return json.dumps({"csv": "".join(f"{row}\n" for row in ("ts,osd", *rows)), "next": following})


def test_pieces_become_one_file(ceph: Play, capsys: pytest.CaptureFixture[str]) -> None:
    ceph.write(
        {"on": "trace export --from=0 --since=6h --osds=all", "out": _piece("1,0", following=7)},
        {"on": "trace export --from=7 --since=6h --osds=all", "out": _piece("1,7", "2,7")},
    )
    assert main(["--ceph", ceph.command, "trace", "--since", "6h", "--osds", "all"]) == 0
    assert capsys.readouterr() == ("ts,osd\n1,0\n1,7\n2,7\n", "")


def test_a_mgr_that_does_not_go_on(ceph: Play, capsys: pytest.CaptureFixture[str]) -> None:
    ceph.write({"on": "trace export", "out": _piece("1,0", following=0)})
    assert main(["--ceph", ceph.command, "trace"]) == 2
    assert capsys.readouterr().err == "ceph-perf-bench: the mgr does not get beyond osd.0\n"


def test_what_the_mgr_says_is_said(ceph: Play, capsys: pytest.CaptureFixture[str]) -> None:
    ceph.write({"on": "trace export", "err": "Error EINVAL: nothing so\n", "code": 22})
    assert main(["--ceph", ceph.command, "trace"]) == 2
    assert capsys.readouterr() == ("", "ceph-perf-bench: nothing so\n")
