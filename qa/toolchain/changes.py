"""What changed since main, and which tests that concerns: for `make check`.

Tests lie as the code lies, so a changed file concerns the folder of tests of its own place. What
every stage may import concerns more: the tests of each place that imports the changed file.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from toolchain import import_rule
from toolchain.bootstrap import Fault

PACKAGE = "mgr_module/perf_bench/"
FRONTEND = "dashboard_plugin/frontend/"
LIB = "tests/lib/"
# The shape of the repository: whatever changes may break it, and it takes seconds.
HOUSE = "tests/house"
# Branches that the changes are counted from; the first one that there is.
MAINS = ("origin/main", "main")
# Folders whose files Python imports from: see pytest's `pythonpath`.
ROOTS = ("mgr_module", "qa", "tests/lib")
# Test folders of files that lie elsewhere; the longest prefix counts.
ELSEWHERE = {
    "dashboard_plugin/": "tests/dashboard",
    "README.md": "tests/qa/documentation",
    "docs/": "tests/qa/documentation",
    "docs/monitoring/": "tests/monitoring",
    "qa/": "tests/qa",
    "qa/replay": "tests/qa/detector_trials",
    "qa/tab": "tests/qa/simulated",
}
# Units that stages may import beside other stages.
SHARED = frozenset(
    target for stage in import_rule.STAGES for target in import_rule.ARROWS[stage]
).difference(import_rule.STAGES)
# Front-end files that decide how its tests run, so all of them do.
_FRONTEND_SETTINGS = ("package.json", "package-lock.json", "jest.config.mjs", "tsconfig")

# File -> the files that it imports directly; paths from the repository's root.
Imports = Mapping[str, Collection[str]]


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
    chosen = tests_of(paths, imports(root), _test_files(root))
    print(f"{len(paths)} files changed; tests of {len(chosen)} files run:")
    for folder, count in sorted(Counter(str(PurePosixPath(one).parent) for one in chosen).items()):
        print(f"  {folder} ({count})")
    return sorted(chosen)


def tests_of(paths: Iterable[str], imported: Imports, tests: Collection[str]) -> set[str]:
    """Those of the test files `tests` that changes of `paths` concern."""
    chosen = set(_below(HOUSE, tests))
    for path in paths:
        chosen.update(_own(path, tests))
        chosen.update(_importing(path, imported, tests))
    return chosen


def _own(path: str, tests: Collection[str]) -> Iterator[str]:
    """The test files of the same place: `bench/plan/osds.py` has those of `tests/bench/plan`."""
    if path in tests:
        yield path
    elif path.startswith(PACKAGE):
        yield from _of_package(path[len(PACKAGE) :], tests)
    elif path.startswith((FRONTEND, LIB, "tests/golden/")):
        return
    elif path.startswith("tests/"):
        # A fixture or data, for all tests beside it and below.
        yield from _below(str(PurePosixPath(path).parent), tests)
    else:
        yield from _of_elsewhere(path, tests)


def _of_package(path: str, tests: Collection[str]) -> Iterator[str]:
    unit = _unit(path)
    parts = PurePosixPath(path).parent.parts
    if not parts:
        yield from {f"tests/test_{PurePosixPath(path).stem}.py"}.intersection(tests)
    for end in range(len(parts), 0, -1):
        found = set(_below("/".join(("tests", *parts[:end])), tests))
        if found:
            # `bench` has files of its own; its stages below are other units.
            yield from (one for one in found if _unit(one) == unit)
            return


def _of_elsewhere(path: str, tests: Collection[str]) -> Iterator[str]:
    prefix = max((one for one in ELSEWHERE if path.startswith(one)), key=len, default="")
    if not prefix:
        return
    folder = ELSEWHERE[prefix]
    if prefix == "qa/":
        parts = PurePosixPath(path).parts
        folder = f"{folder}/{parts[1]}"
    yield from _below(folder, tests)


def _importing(path: str, imported: Imports, tests: Collection[str]) -> Iterator[str]:
    """Test files that import it, and, of what is shared, the tests of who imports it.

    A helper of tests/lib is followed through other helpers. Fixtures of tests/conftest.py are not
    followed: tests are typed, so they import the type of what a fixture gives them.
    """
    if path.startswith("tests/golden/"):
        path = f"{LIB}golden.py"
    shared = path.startswith(PACKAGE) and _unit(path) in SHARED
    ahead, seen = [path], {path}
    while ahead:
        target = ahead.pop()
        for file in (file for file, targets in imported.items() if target in targets):
            if file in seen or file == "tests/conftest.py":
                continue
            seen.add(file)
            if file.startswith("tests/") and not file.startswith(LIB):
                yield from _own(file, tests)
            elif file.startswith(LIB) and target.startswith(LIB):
                ahead.append(file)
            elif shared:
                yield from _own(file, tests)
                if file.endswith("/__init__.py") and _unit(file) == _unit(target):
                    ahead.append(file)  # others import it from there


def _unit(path: str) -> str:
    """The unit of a file of the package, or of the tests that lie as it does."""
    return import_rule.unit_of(path.removeprefix(PACKAGE).removeprefix("tests/"))


def _below(folder: str, tests: Collection[str]) -> Iterator[str]:
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


def imports(root: Path) -> dict[str, set[str]]:
    """Every Python file of the module, of qa and of the tests, with the files that it imports."""
    modules: dict[str, str] = {}
    for folder in ROOTS:
        for file in (root / folder).rglob("*.py"):
            below = file.relative_to(root / folder).with_suffix("")
            name = ".".join(below.parts).removesuffix(".__init__")
            modules.setdefault(name, file.relative_to(root).as_posix())
    files = {*modules.values(), *_python_files(root / "tests", root)}
    names = {path: name for name, path in modules.items()}
    found = {}
    for path in files:
        parts = tuple(names.get(path, "").split("."))
        package = parts if path.endswith("/__init__.py") else parts[:-1]
        source = (root / path).read_text(encoding="utf-8")
        targets = {
            target
            for one in import_rule.imports_in(path, source, package)
            for target in _targets(one, modules)
        }
        found[path] = targets - {path}
    return found


def _targets(found: import_rule.Import, modules: Mapping[str, str]) -> Iterator[str]:
    for name in found.names or ("",):
        for full in (f"{found.module}.{name}", found.module):
            if full in modules:
                yield modules[full]
                break


def _test_files(root: Path) -> list[str]:
    return [path for path in _python_files(root / "tests", root) if "/test_" in path]


def _python_files(folder: Path, root: Path) -> list[str]:
    return [file.relative_to(root).as_posix() for file in folder.rglob("*.py")]


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
