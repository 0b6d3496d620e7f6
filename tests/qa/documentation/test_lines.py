"""Every command that the documents show is one that there is, with arguments that it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documentation import lines
from documentation.lines import Line
from fakes.ceph import RELEASES, MgrWorld, installed


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    return lines.documents(root)


def test_every_command_of_the_documents_parses(texts: dict[str, str]) -> None:
    shown = [line for name, text in texts.items() for line in lines.lines(name, text)]
    ours = [line for line in shown if line.text.startswith((lines.MODULE, lines.TOOL))]
    assert len(ours) > 150
    assert len({line.document for line in ours}) > 15
    assert [found for line in ours if (found := lines.problem(line))] == []


def test_every_option_and_target_of_the_documents_is_there(
    texts: dict[str, str], root: Path
) -> None:
    with installed(MgrWorld.captured(RELEASES[0])):
        from perf_bench.ceph.options import options  # noqa: PLC0415

        known = {one["name"] for one in options()}
    named = {name for text in texts.values() for name in lines.options(text)}
    assert named - known == set()
    assert "max_parallel" in named
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    assert {name for text in texts.values() for name in lines.targets(text)} - targets == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ceph perf-bench round show 2", ""),
        ("ceph perf-bench round show ID --format json | jq .osds", ""),
        ("ceph perf-bench round compare 21 24 # better?", ""),
        ("ceph perf-bench round start osd-iops --max-repeats=8 --dry-run", ""),
        ("ceph perf-bench finding mute 3 1d", ""),
        ("ceph perf-bench host import HOST -i FACTS.json", ""),
        ("ceph perf-bench rounds ls", "no such command"),
        ("ceph perf-bench round start osd-iops --repeat 8", "no option --repeat"),
        ("ceph perf-bench round show", "id missing"),
        ("ceph perf-bench round show two", "is no number"),
        ("ceph perf-bench round show 1 id 3 4 5", "is too much"),
        ("ceph perf-bench osd ls --host a", "takes --host for itself"),
        ("ceph perf-bench finding mute 3 --for 1d", "takes --for for itself"),
        ("ceph perf-bench round start osd-iops --label", "has no value"),
        ("ceph perf-bench round start osd-iops --label 'open", "No closing quotation"),
        ("ceph perf-bench round begin [--osds EXPR]", "no such command"),
        ("ceph-perf-bench wait 12 --fail-on failed", ""),
        ("ceph-perf-bench wait ID", ""),
        ("ceph-perf-bench watch 12", "invalid choice"),
        ("ceph-perf-bench install --enabled", "unrecognized arguments"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    found = lines.problem(Line("x.md", text))
    assert (said in found) if said else not found


def test_where_lines_are_found() -> None:
    text = (
        "`ceph perf-bench status` and `status`\n\n```console\n# ceph perf-bench round ls\nROUND\n"
        "$ ceph-perf-bench check \\\n    --local\n```\n\n| `ceph perf-bench a\\|b` |\n"
    )
    assert [line.text for line in lines.lines("x.md", text)] == [
        "ceph perf-bench round ls",
        "ceph-perf-bench check --local",
        "ceph perf-bench status",
        "ceph perf-bench a|b",
    ]
    rst = ".. prompt:: bash #\n\n   ceph perf-bench round ls\n\nSee ``ceph perf-bench status``.\n"
    assert [line.text for line in lines.lines("x.rst", rst)] == [
        "ceph perf-bench status",
        "ceph perf-bench round ls",
    ]
