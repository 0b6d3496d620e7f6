"""What changed since main, and which tests that concerns: for `make check`.

Tests lie as the code lies, so a changed file concerns the folder of tests of its own place, and
every test that names it in an import.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from toolchain.bootstrap import Fault

PACKAGE = "mgr_module/perf_bench/"
FRONTEND = "dashboard_plugin/frontend/"
# The shape of the repository: whatever changes may break it, and it takes seconds.
HOUSE = "tests/house"
# Branches that the changes are counted from; the first one that there is.
MAINS = ("origin/main", "main")
# Test folders of files that lie elsewhere; the longest prefix counts.
ELSEWHERE = {
    "dashboard_plugin/backend/": "tests/dashboard",
    "dashboard_plugin/entry/": "tests/dashboard",
    "README.md": "tests/qa/documentation",
    "docs/": "tests/qa/documentation",
    "docs/monitoring/": "tests/monitoring",
    "qa/": "tests/qa",
    "qa/replay": "tests/qa/detector_trials",
    "qa/tab": "tests/qa/simulated",
}
# Front-end files that decide how its tests run, so all of them do.
_FRONTEND_SETTINGS = ("package.json", "package-lock.json", "jest.config.mjs", "tsconfig")


def changed(root: Path, base: str = "") -> list[str]:
    """Files that differ from `base`, with uncommitted, untracked and deleted ones.

    Without `base` it is where this branch left main. Raises Fault when git does not know it.
    """
    start = _base(root, base)
    differing = _git(root, "diff", "--name-only", "--no-renames", "-z", start, "--")
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({name for name in f"{differing}\0{untracked}".split("\0") if name})


def select(root: Path, base: str = "") -> list[str]:
    """The test files that the changes concern; says on stdout which, by folder."""
    paths = changed(root, base)
    if not paths:
        print("Nothing has changed.")
        return []
    tests = {
        str(file.relative_to(root)): file.read_text(encoding="utf-8")
        for file in (root / "tests").rglob("test_*.py")
    }
    chosen = tests_of(paths, tests)
    print(f"{len(paths)} files changed; tests of {len(chosen)} files run:")
    for folder, count in sorted(Counter(str(PurePosixPath(one).parent) for one in chosen).items()):
        print(f"  {folder} ({count})")
    return sorted(chosen)


def tests_of(paths: Iterable[str], tests: Mapping[str, str]) -> set[str]:
    """Those of the test files that changes of `paths` concern; `tests` has their sources."""
    chosen = set(_below(HOUSE, tests))
    for path in paths:
        if path in tests:
            chosen.add(path)
        elif path.startswith("tests/lib/"):
            chosen.update(_importing(path, tests))
        elif path.startswith("tests/"):
            # A fixture or data, for all tests beside it and below.
            chosen.update(_below(str(PurePosixPath(path).parent), tests))
        elif path.startswith(PACKAGE):
            chosen.update(_nearest(path.removeprefix(PACKAGE), tests), _importing(path, tests))
        else:
            chosen.update(_of_elsewhere(path, tests))
    return chosen


def _nearest(path: str, tests: Iterable[str]) -> set[str]:
    """Those of `bench/plan/osds.py` lie in `tests/bench/plan`, or else in `tests/bench`."""
    for folder in PurePosixPath(path).parents:
        if folder.name and (found := {*_below(f"tests/{folder}", tests)}):
            return found
    return {f"tests/test_{PurePosixPath(path).stem}.py"}.intersection(tests)


def _of_elsewhere(path: str, tests: Iterable[str]) -> Iterator[str]:
    prefix = max((one for one in ELSEWHERE if path.startswith(one)), key=len, default="")
    if prefix == "qa/":
        yield from _below("/".join(("tests", *PurePosixPath(path).parts[:2])), tests)
    elif prefix:
        yield from _below(ELSEWHERE[prefix], tests)


def _importing(path: str, tests: Mapping[str, str]) -> Iterator[str]:
    """Tests with `from a.b import c` or `from a.b.c import d` where `a/b/c.py` has changed."""
    *folders, name = PurePosixPath(path).with_suffix("").parts[-2:]
    names = rf"\b{re.escape(''.join(folders))}(\.| import [\w\s,(]*\b){re.escape(name)}\b"
    imports = re.compile(
        rf"^ *(from|import) .*{names}|^ *from {re.escape(name)} import", re.MULTILINE
    )
    return (test for test, source in tests.items() if imports.search(source))


def _below(folder: str, tests: Iterable[str]) -> Iterator[str]:
    return (one for one in tests if one.startswith(f"{folder}/"))


def frontend(paths: Iterable[str], root: Path) -> list[list[str]]:
    """The arguments of the front end's `toolchain`, call by call; none when nothing changed there.

    Formats and lint look at the changed files, types at all of them, jest at related tests.
    """
    paths = list(paths)
    own = [path[len(FRONTEND) :] for path in paths if path.startswith(FRONTEND)]
    if not own:
        return []
    there = [path for path in own if (root / FRONTEND / path).is_file()]
    scripts = [path for path in there if path.endswith((".ts", ".mjs"))]
    sources = [path for path in there if path.startswith("src/")]
    calls = []
    if there:
        prettier = ["node", "node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn"]
        calls.append([*prettier, "--ignore-unknown", *there])
    if scripts:
        eslint = ["node", "node_modules/eslint/bin/eslint.js", "--max-warnings=0", "--cache"]
        calls.append([*eslint, "--cache-location", ".cache/eslint", "--no-warn-ignored", *scripts])
    calls.append(["typecheck"])
    if any(path.startswith(_FRONTEND_SETTINGS) for path in own):
        calls.append(["test", "--silent"])
    elif sources:
        calls.append(["test", "--silent", "--passWithNoTests", "--findRelatedTests", *sources])
    return calls


def _base(root: Path, base: str) -> str:
    if base:
        return _git(root, "merge-base", "HEAD", base).strip()
    for main in MAINS:
        try:
            return _git(root, "merge-base", "HEAD", main).strip()
        except Fault:
            continue
    print(f"There is neither {' nor '.join(MAINS)}: only what is not committed is looked at.")
    return "HEAD"


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=root, check=False, capture_output=True, text=True, env=_environment()
    )
    if done.returncode:
        raise Fault(f"git {' '.join(words)} failed: {done.stderr.strip() or 'no such commit'}")
    return done.stdout


def _environment() -> dict[str, str]:
    """Ours without what git tells its hooks: that names another index, or another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
