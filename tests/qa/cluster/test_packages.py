"""Where this machine takes Debian from, in the forms that apt knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.packages import mirror

DEB822 = """\
# Types: deb
# URIs: http://commented.example/debian
Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
# a comment
URIs: https://mirror.example/debian http://second.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
"""
THIRD_PARTY = "deb [arch=amd64 signed-by=/k] https://docker.example/debian bookworm stable\n"
ONE_LINE = "deb [arch=amd64] http://list.example/debian bookworm main contrib\n"


@pytest.mark.parametrize(
    ("files", "address"),
    [
        ({}, None),
        ({"sources.list.d/debian.sources": DEB822}, "https://mirror.example/debian"),
        ({"sources.list": ONE_LINE}, "http://list.example/debian"),
        ({"sources.list": "# " + ONE_LINE}, None),
        ({"sources.list": THIRD_PARTY + ONE_LINE}, "http://list.example/debian"),
        ({"sources.list.d/docker.list": THIRD_PARTY}, None),  # the suite's name, not Debian's
        ({"sources.list": "deb-src http://src.example/debian bookworm main\n"}, None),
        ({"sources.list": "deb cdrom:[Debian 12]/ bookworm main\n"}, None),
        ({"sources.list.d/d.sources": DEB822 + "Enabled: no\n"}, None),
        ({"sources.list.d/x.sources.disabled": DEB822}, None),
        ({"sources.list": ONE_LINE.replace("bookworm", "trixie")}, None),
    ],
)
def test_the_mirror_is_read_from_apts_sources(
    tmp_path: Path, files: dict[str, str], address: str | None
) -> None:
    (tmp_path / "sources.list.d").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert mirror("bookworm", tmp_path) == address
