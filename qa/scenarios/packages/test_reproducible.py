"""What is given away is built twice from the same commit, in two folders: the same bytes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from toolchain.bootstrap import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.long]
FRONTEND = Path("dashboard_plugin/frontend")
# Folder, umask, environment: what a builder's machine differs in.
BUILDERS = (
    ("one", "022", {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "1"}),
    (
        "another/folder",
        "077",
        {"TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", "COLUMNS": "60", "PYTHONHASHSEED": "2"},
    ),
)


def built(folder: Path, umask: str, environment: dict[str, str]) -> dict[str, str]:
    """By name the hashes of the tab's bundle, the wheel, the bills of materials, the packages."""
    for name in ("node_modules", ".node"):
        if (ROOT / FRONTEND / name).is_dir():
            command = ["cp", "--archive", str(ROOT / FRONTEND / name), str(folder / FRONTEND)]
            subprocess.run(command, check=True)
    done = subprocess.run(
        ["sh", "-c", f"umask {umask}; make wheel deb"],
        cwd=folder, env={**os.environ, **environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    files = [*(folder / "dist").iterdir(), *(folder / FRONTEND / "dist").rglob("*")]
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file()
    }


def parts(deb: Path) -> dict[str, str]:
    """What is in a package: the list of its files, then each with its hash."""
    listed = subprocess.run(["dpkg-deb", "-c", str(deb)], capture_output=True, check=True).stdout
    found = {"list": listed.decode()}
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["dpkg-deb", "-R", str(deb), made], check=True)
        for file in Path(made).rglob("*"):
            if file.is_file():
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
                found[str(file.relative_to(made))] = digest
    return found


def differing(one: Path, another: Path) -> list[str]:
    """What differs, down to the files in packages."""
    if one.suffix != ".deb":
        return [one.name]
    left, right = parts(one), parts(another)
    names = sorted(name for name in left.keys() | right if left.get(name) != right.get(name))
    return [f"{one.name}: {name}" for name in names or ["only its archive"]]


def test_the_same_commit_makes_the_same_files(tmp_path: Path) -> None:
    # Both first: somebody may commit while the first is built.
    source = str(ROOT)
    for name, _, _ in BUILDERS:
        subprocess.run(["git", "clone", "--quiet", source, str(tmp_path / name)], check=True)
        source = str(tmp_path / name)
    one, another = (
        built(tmp_path / name, umask, environment) for name, umask, environment in BUILDERS
    )
    assert {name.rpartition(".")[2] for name in one if name.startswith("dist/")} == {
        "whl",
        "deb",
        "json",
    }
    assert len([name for name in one if name.endswith(".deb")]) == 2
    assert one.keys() == another.keys()
    folders = [tmp_path / name for name, _, _ in BUILDERS]
    assert [
        differing(*(folder / name for folder in folders))
        for name, found in one.items()
        if another[name] != found
    ] == []
    for name, _, _ in BUILDERS:
        shutil.rmtree(tmp_path / name)
