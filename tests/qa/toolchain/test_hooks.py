"""The pre-commit hook is written where git looks for it, and never over somebody else's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from toolchain import hooks
from toolchain.bootstrap import Fault


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_the_hook_is_a_program_that_runs_make_check(repository: Path) -> None:
    hook = hooks.install(repository)
    assert hook == repository / ".git" / "hooks" / "pre-commit"
    assert os.access(hook, os.X_OK)
    assert "exec make check BASE=HEAD\n" in hook.read_text()


def test_a_commit_fails_when_make_check_does(repository: Path) -> None:
    hooks.install(repository)
    makefile = repository / "Makefile"
    commit = ["git", "-c", "user.name=Jane", "-c", "user.email=jane@example.com", "commit"]
    words = [*commit, "--quiet", "--allow-empty", "--message", "A step"]
    for recipe, good in (("@false", False), ('@test "$(BASE)" = HEAD -a -z "$$GIT_DIR"', True)):
        makefile.write_text(f"check:\n\t{recipe}\n")
        done = subprocess.run(words, cwd=repository, check=False, capture_output=True)
        assert (done.returncode == 0) is good, done.stderr


def test_an_older_hook_of_ours_is_replaced(repository: Path) -> None:
    hook = hooks.install(repository)
    hook.write_text(f"#!/bin/sh\n{hooks.MARK}\nexec make lint\n")
    hooks.install(repository)
    assert hook.read_text() == hooks.HOOK


def test_a_foreign_hook_stays(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec something\n")
    with pytest.raises(Fault, match=r"another hook in .*: it stays as it is"):
        hooks.install(repository)
    assert hook.read_text() == "#!/bin/sh\nexec something\n"


def test_a_folder_of_hooks_outside_is_left_alone(repository: Path, tmp_path: Path) -> None:
    subprocess.run(
        ["git", "config", "core.hooksPath", str(tmp_path / "shared")], cwd=repository, check=True
    )
    with pytest.raises(Fault, match=r"core\.hooksPath"):
        hooks.install(repository)
    assert not (tmp_path / "shared").exists()
