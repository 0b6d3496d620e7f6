"""The pre-commit hook of `make hooks`: git runs `make check` on what a commit changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from toolchain.bootstrap import Fault

# By this line a hook is known as ours, so that a newer one may take its place.
MARK = "# Made by `make hooks` of ceph-perf-bench."
HOOK = f"""#!/bin/sh
{MARK}
# It looks at the working tree. `git commit --no-verify` goes round it; delete this file to end it.
unset $(git rev-parse --local-env-vars)
exec make check BASE=HEAD
"""


def install(root: Path) -> Path:
    """Write the hook and return where it is.

    Raises Fault, with nothing written, when another hook is there or git looks elsewhere for hooks.
    """
    if _git(root, "config", "--default", "", "--get", "core.hooksPath"):
        raise Fault("git takes its hooks from core.hooksPath: this writes none there.")
    hook = root / _git(root, "rev-parse", "--git-path", "hooks") / "pre-commit"
    if hook.is_symlink() or (hook.exists() and MARK not in hook.read_text(errors="replace")):
        raise Fault(f"There is another hook in {hook}: it stays as it is. Call 'make check' in it.")
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    return hook


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Fault(f"git {' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout.strip()
