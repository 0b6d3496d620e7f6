"""The repository holds what belongs there, and says nothing about the machine it was made on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP_LEVEL = {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "dashboard_plugin",
    "docs",
    "mgr_module",
    "pyproject.toml",
    "qa",
    "setup.py",
    "tests",
}

# Where packages come from is the business of each machine's own apt, pip and npm.
REGISTRY = re.compile(
    r"\b(?:(?:[\w-]+\.)?pythonhosted\.org|(?:test\.)?pypi\.(?:org|io)|registry\.[\w-]+\.\w+"
    r"|(?:deb|ftp|security|snapshot)\.debian\.org|(?:archive|security)\.ubuntu\.com"
    r"|(?:index|static)\.crates\.io|(?:proxy|sum)\.golang\.org|[\w-]+\.pkg\.dev)\b"
    r"|--(?:(?:extra-)?index-url|find-links|trusted-host)\b"
)
# Where a path begins: a clone in a folder of the root called "src" is not named by "frontend/src".
_BEGINS = r"(?<![\w.~$}>-])"
MACHINE = re.compile(_BEGINS + r"/(?:root|work(?:space|s)?|home/\w+|Users/\w+)/")


def _names(root: Path, tree: list[str], pattern: re.Pattern[str]) -> list[str]:
    found = []
    for name in tree:
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found += [f"{name}:{number}: {hit.group()}" for hit in pattern.finditer(line)]
    return found


def test_the_top_level_is_fixed(tree: list[str]) -> None:
    top = {name.split("/", 1)[0] for name in tree}
    strangers = {name for name in top if not name.startswith(".")} - TOP_LEVEL
    assert not strangers


def test_no_file_names_a_registry(root: Path, tree: list[str]) -> None:
    assert not _names(root, tree, REGISTRY)


def test_no_file_names_a_folder_of_a_developer(root: Path, tree: list[str]) -> None:
    assert not _names(root, tree, MACHINE)
    assert not _names(root, tree, _below(root))


def _below(folder: Path) -> re.Pattern[str]:
    return re.compile(_BEGINS + re.escape(f"{folder}/"))


def test_a_clone_may_lie_in_a_folder_that_has_a_short_name() -> None:
    pattern = _below(Path("/") / "src")
    assert pattern.search("'/" + "src/app'")
    for line in ("frontend/src/app", "../src/generated", "<rootDir>/src/testing"):
        assert not pattern.search(line)


# The lines are put together here, so that this file holds none of them.
@pytest.mark.parametrize(
    ("pattern", "line", "hit"),
    [
        (REGISTRY, "pip install -i https://{}.org/simple ruff".format("pypi"), True),
        (REGISTRY, "--hash=... # files.{}.org/x.whl".format("pythonhosted"), True),
        (REGISTRY, "debootstrap trixie root http://{}.debian.org/debian".format("deb"), True),
        (REGISTRY, '"resolved": "https://{}.npmjs.org/a.tgz"'.format("registry"), True),
        (REGISTRY, "deb https://europe-apt.{}.dev/x".format("pkg"), True),
        (REGISTRY, "{}index-url https://example.com".format("--"), True),
        (REGISTRY, "See https://docs.ceph.com and https://www.debian.org.", False),
        (REGISTRY, "the registry of commands, self.registry.add(x)", False),
        (MACHINE, "conf = '/{}/jane/ceph.conf'".format("home"), True),
        (MACHINE, "cd /{}/project && make".format("root"), True),
        (MACHINE, "open('/{}/me/x')".format("Users"), True),
        (MACHINE, "~/.pyenv/versions, $HOME/x, {{root}}/dev, ../{}/x".format("work"), False),
        (MACHINE, "/usr/share/ceph/mgr /var/lib/ceph /tmp/x /root", False),
    ],
)
def test_the_patterns_see_what_they_are_for(pattern: re.Pattern[str], line: str, hit: bool) -> None:
    assert bool(pattern.search(line)) is hit
