"""All that the gate downloads has a hash in a lock file, or a signature that apt checks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FRONTEND = "dashboard_plugin/frontend"
# `pip install` and `pip download`, in a shell script or as the words of a command.
PIP = re.compile(r"""\bpip["']?\)?[",\s]+["']?(install|download)\b""")
NPM = re.compile(r"""\bnpm["']?\)?[",\s]+["']?(install|add|update|exec|i)\b|\bnpx\b""")
# Programs and calls that fetch without a check of their own. debootstrap is in cluster/rootfs.py.
OTHER = re.compile(r"\b(curl|wget|urlopen|urlretrieve|easy_install|git clone)\b|\bpipx? run\b")
# Ask servers of our own, or say what another program does.
_ASKS = ("qa/cluster/connection.py", "qa/cluster/rootfs.py")
_LINES_AROUND = 8


def _programs(root: Path, tree: list[str]) -> dict[str, list[str]]:
    """The lines of everything in the gate's folders that runs."""
    folders = ("qa/", f"{FRONTEND}/", ".ci/", "Makefile", "setup.py")
    texts = (".md", ".lock", ".in", ".json", ".ts", ".snap")
    found = {}
    for name in tree:
        if name.startswith(folders) and not name.endswith(texts):
            found[name] = (root / name).read_text(encoding="utf-8", errors="replace").splitlines()
    return found


def _locks(root: Path, tree: list[str]) -> list[Path]:
    return [root / name for name in tree if name.endswith(".lock")]


def unhashed(text: str) -> list[str]:
    """The requirements of a lock file that are not pinned with a hash."""
    lines = text.replace("\\\n", " ").splitlines()
    pins = [line for line in lines if line.strip() and not line.startswith("#")]
    return [line for line in pins if "==" not in line or "--hash=sha256:" not in line]


def careless(programs: dict[str, list[str]]) -> list[str]:
    """The places that fetch packages without hashes."""
    found = []
    for name, lines in programs.items():
        for number, line in enumerate(lines):
            near = " ".join(lines[max(0, number - _LINES_AROUND) : number + _LINES_AROUND])
            without = PIP.search(line) and "--require-hashes" not in near
            other = OTHER.search(line) and name not in _ASKS
            if without or NPM.search(line) or other:
                found.append(f"{name}:{number + 1}: {line.strip()}")
    return found


def test_every_requirement_is_pinned_with_a_hash(root: Path, tree: list[str]) -> None:
    locks = _locks(root, tree)
    assert len(locks) >= 7
    assert {lock.name: unhashed(lock.read_text()) for lock in locks} == {
        lock.name: [] for lock in locks
    }


def test_every_package_of_npm_has_a_hash(root: Path) -> None:
    packages = json.loads((root / FRONTEND / "package-lock.json").read_text())["packages"]
    others = {name: one for name, one in packages.items() if name}
    assert len(others) > 500
    assert not [
        n for n, one in others.items() if not one.get("integrity", "").startswith("sha512-")
    ]
    # No script of a package runs when it is installed.
    assert "ignore-scripts=true" in (root / FRONTEND / ".npmrc").read_text()


def test_nothing_is_fetched_without_a_hash(root: Path, tree: list[str]) -> None:
    assert not careless(_programs(root, tree))


def test_a_release_gets_packages_that_debian_signed(root: Path) -> None:
    text = (root / "qa/cluster/rootfs.py").read_text()
    command = text[text.index('"debootstrap",\n            *_SIGNED') :]
    assert "--no-check-gpg" not in text
    assert "--variant" in command
    assert '"--force-check-gpg", "--keyring=' in text


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('run(["pip", "install", "six"])', True),
        ("build/v/bin/pip install --quiet six", True),
        ('python, "-m", "pip", "download", "six"', True),
        ('pip = [str(folder / "bin" / "pip"), "install", "--quiet"]', True),
        ("pip install --require-hashes -r a.lock", False),
        ('checked([npm, "ci"])', False),
        ("npm install left-pad", True),
        ("npx left-pad", True),
        ("curl -O https://host.example/x", True),
    ],
)
def test_what_is_careless(line: str, found: bool) -> None:
    assert bool(careless({"x": [line]})) is found


def test_a_requirement_without_a_hash_is_seen() -> None:
    text = "# made\nsix==1.0 \\\n    --hash=sha256:aa\nbuild==1\nruff>=1 --hash=sha256:bb\n"
    assert unhashed(text) == ["build==1", "ruff>=1 --hash=sha256:bb"]
