"""Builds the documentation with Sphinx: pages in build/docs/html, manual pages in build/docs/man.

Every warning is an error, among them links to pages, parts of pages and files that are not there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from toolchain.bootstrap import HERE, ROOT, Toolchain, commit_time, ensure

SPHINX = Toolchain(ROOT / "build" / "sphinx", HERE / "docs.lock")
SOURCE, OUT = ROOT / "docs", ROOT / "build" / "docs"
BUILDERS = ("html", "man")


def build(out: Path = OUT, builders: tuple[str, ...] = BUILDERS) -> bool:
    """Build all pages anew; False if there was a warning."""
    program = str(ensure(SPHINX) / "sphinx-build")
    shutil.rmtree(out, ignore_errors=True)
    # The same pages on every machine; Sphinx ends at a locale that is set and not installed.
    fixed = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(commit_time())}
    environment = {**os.environ, **fixed}
    for builder in builders:
        words = ["-b", builder, "--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
        where = ["-d", str(out / "doctrees"), str(SOURCE), str(out / builder)]
        command = [program, *words, *where]
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            return False
    shutil.rmtree(out / "doctrees")
    print(f"{out.relative_to(ROOT) if out.is_relative_to(ROOT) else out}: {', '.join(builders)}")
    return True
