"""The gate's steps, one after the other; the first that fails ends it.

Steps joined by "+" run side by side: those that need a core each, and those that mostly wait, as
scenarios do. Each side may be several steps in turn, joined by ",".
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from toolchain import audit, changes, checkers, docs, pythons, sbom, unit_run
from toolchain.bootstrap import HERE, ROOT, Toolchain, commit_time, ensure

# A step gets the folder of the toolchain's programs and its argument (`scenarios:reef`). With
# `:short` behind the release, tests marked `long` are left out; `:short-1` and `:short-2` are
# shares of those, for a cluster each. `pythons:spare` leaves the processor to the scenarios beside
# it, and runs two cases of each test. `types:quick`, `unit:changed`, `frontend:changed` and
# `frontend:types` are those of `make check`; `unit:thorough` and `unit:random`, or
# `unit:random=SEED`, those of `make test-all`.
Step = Callable[[Path, str], bool]

# Files of scenarios beside the first share, which has all others: they wait most of the time for
# what the watch has promised.
SHARES = {"2": ("test_relief.py", "test_sandwich.py", "test_watch.py", "test_workers.py")}

# How many tests on a real cluster may fail once in each step, as those that wait for it can on a
# busy machine, or beside a known crash of Ceph's; each is run again and named at the end
# (`qa/scenarios/crash_watch.py`).
_RUN_AGAIN = {"RUN_AGAIN": "2"}

_UNIT_CACHE = ROOT / "build" / "unit-cache"

# Folders of scenarios with other clusters, one cluster each.
_APART = ("apart", "install", "packages", "upgrade")


def run(steps: Sequence[str]) -> bool:
    """Run the named steps in turn, each with a header and its time; False when one fails."""
    for name in ["toolchain", *steps]:
        if "+" in name:
            if not _side_by_side(name.split("+")):
                return False
            continue
        print(f"\n── {name}")
        began = time.monotonic()
        kind, _, argument = name.partition(":")
        good = STEPS[kind](ensure(), argument)
        verdict = "passed" if good else "FAILED"
        print(f"── {name} {verdict} in {time.monotonic() - began:.1f} s")
        if not good:
            return False
    return True


def _side_by_side(names: Sequence[str]) -> bool:
    """Run these steps at the same time, each in a process of its own."""
    commands = [[sys.executable, "-m", "toolchain", *name.split(",")] for name in names]
    return not any(unit_run.exit_codes(commands, ROOT / "qa"))


def _toolchain(tools: Path, _: str) -> bool:
    return tools.is_dir()


def _fmt(tools: Path, _: str) -> bool:
    ruff = str(tools / "ruff")
    return _succeeds(ruff, "check", "--silent", "--fix", "--exit-zero") and _succeeds(
        ruff, "format"
    )


def _format(tools: Path, _: str) -> bool:
    return _succeeds(str(tools / "ruff"), "format", "--check")


def _lint(tools: Path, _: str) -> bool:
    layers = (str(tools / "lint-imports"), "--no-logo", "--no-cache")
    return _succeeds(str(tools / "ruff"), "check") and _succeeds(
        *layers, environment={**os.environ, "PYTHONPATH": "mgr_module"}
    )


def _types(tools: Path, extent: str) -> bool:
    # The module a second time, against the library of the oldest Python it has to run on;
    # the tests cannot be: pytest itself is newer than that.
    mypy = str(tools / "mypy")
    oldest = (mypy, f"--python-version={pythons.OLDEST}", "mgr_module/perf_bench")
    return _succeeds(mypy) and (extent == "quick" or _succeeds(*oldest))


def _pythons(tools: Path, extent: str) -> bool:
    if extent == "spare":
        _leave_the_processor()
    return pythons.check(tools, quick=extent == "spare")


def _leave_the_processor() -> None:
    """From now on, this process and what it starts get what others leave."""
    with contextlib.suppress(OSError):
        # Linux shares the processor among sessions first (autogroups), then by nice in each.
        os.setsid()
        Path("/proc/self/autogroup").write_text("19", encoding="ascii")
    os.nice(19)


def _unit(tools: Path, extent: str) -> bool:
    pytest = (str(tools / "pytest"), "-m", "not cluster")
    if extent != "changed":
        _checkers()
        if extent.startswith("random"):
            return _random(*pytest, seed=extent.partition("=")[2])
        return _unit_tests(unit_run.files(ROOT), *pytest, profile=extent)
    files = changes.select(ROOT, _base())
    if any(file.startswith("tests/monitoring/") for file in files):
        _checkers()
    quick = (*pytest, "--quiet", *files)
    return not files or _succeeds(*quick, environment=unit_run.environment())


def _checkers() -> None:
    for name in checkers.PACKAGES:
        checkers.ensure(name)


def _random(*pytest: str, seed: str) -> bool:
    """The tests with hypothesis once more, with examples of a seed that is printed."""
    seed = seed or str(random.SystemRandom().randrange(1 << 32))
    print(f"hypothesis' seed is {seed}; the same examples again: make test-all SEED={seed}")
    names = unit_run.files(ROOT)
    using = [name for name in names if "hypothesis" in (ROOT / name).read_text(encoding="utf-8")]
    return _unit_tests(using, *pytest, f"--hypothesis-seed={seed}", profile="random")


def _unit_tests(tests: Sequence[str], *pytest: str, profile: str = "") -> bool:
    """Run unit tests; `profile` says how many examples hypothesis tries (`tests/conftest.py`)."""
    profiled = {"HYPOTHESIS_PROFILE": profile} if profile else {}
    environment = {**unit_run.environment(), **profiled}
    return unit_run.passes(
        pytest,
        tests,
        lambda commands: unit_run.exit_codes(commands, ROOT, environment),
        _UNIT_CACHE,
    )


def _base() -> str:
    """What the changes are counted from: `make check BASE=...`; else where the branch left main."""
    return os.environ.get("BASE", "")


def _scenarios(tools: Path, argument: str) -> bool:
    # Those have clusters of their own.
    others = [f"--ignore=qa/scenarios/{name}" for name in ("vigil", *_APART, *_left_out(argument))]
    where = ("qa/scenarios", *others, "--durations=12")
    return _on_cluster(str(tools / "pytest"), *where, *_which(argument))


def _left_out(argument: str) -> Sequence[str]:
    """The files that are not of the share asked for."""
    share = argument.partition("short-")[2]
    if not share:
        return ()
    others = [name for files in SHARES.values() for name in files]
    if share == "1":
        return others
    files = sorted(path.name for path in (ROOT / "qa" / "scenarios").glob("test_*.py"))
    return [name for name in files if name not in SHARES[share]]


def _vigil(tools: Path, release: str) -> bool:
    return _on_cluster(
        str(tools / "pytest"), "qa/scenarios/vigil", "--release", release or "native"
    )


def _apart(tools: Path, release: str) -> bool:
    pytest = str(tools / "pytest")
    return all(
        _on_cluster(pytest, f"qa/scenarios/{name}", "--release", release or "native")
        for name in _APART
    )


def _frontend(_tools: Path, extent: str) -> bool:
    if not extent:
        return _succeeds(f"{changes.FRONTEND}gate")
    # The types take as long as the tests: `frontend:types` has the other core.
    found = changes.frontend(changes.changed(ROOT, _base()), ROOT)
    calls = [call for call in found if (call[0] == "typecheck") is (extent == "types")]
    if not calls:
        print("Nothing to do in the front end.")
    return all(_succeeds(f"{changes.FRONTEND}toolchain", *call) for call in calls)


def _bundle(_tools: Path, _: str) -> bool:
    return _succeeds("dashboard_plugin/frontend/toolchain", "build")


def _browser(_tools: Path, argument: str) -> bool:
    return _on_cluster("qa/browser/run", "--durations=12", *_which(argument))


def _on_cluster(*command: str) -> bool:
    return _succeeds(*command, environment={**os.environ, **_RUN_AGAIN})


def _which(argument: str) -> list[str]:
    release, _, extent = argument.partition(":")
    words = ["--release", release or "native"]
    return [*words, "-m", "not long"] if extent.startswith("short") else words


def _reliability(_tools: Path, words: str) -> bool:
    return _succeeds("qa/reliability/run", *words.split())


def _audit(_tools: Path, _: str) -> bool:
    return audit.check()


def _sbom(tools: Path, _: str) -> bool:
    return _bundle(tools, "") and sbom.make()


def _wheel(tools: Path, _: str) -> bool:
    """The wheel; the same commit makes the same file."""
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # setuptools would take files that are gone
    build = (str(tools / "python"), "-m", "build", "--wheel", "--no-isolation", "--quiet")
    return _succeeds("env", f"SOURCE_DATE_EPOCH={commit_time()}", *build)


def _packages(tools: Path, _: str) -> bool:
    path = f"PYTHONPATH={ROOT / 'qa'}:{ROOT / 'mgr_module'}"
    # No -m: `mgr_module` would be our folder.
    program = (str(tools / "python"), "-B", "qa/toolchain/packages.py")
    return _succeeds("env", path, *program)


def _docs(_tools: Path, _: str) -> bool:
    return docs.build()


def _upstream(_tools: Path, _: str) -> bool:
    """The linter of Ceph's own modules, with the rules of Ceph's src/pybind/mgr/tox.ini.

    Of the rules that are left out here Ceph leaves out all but E203: our formatter writes it.
    """
    linter = ensure(Toolchain(ROOT / "build" / "upstream", HERE / "upstream.lock")) / "flake8"
    left_out = "--ignore=E203,E501,E704,W503,W504"
    return _succeeds(str(linter), "--isolated", left_out, "mgr_module/perf_bench", "docs/upstream")


STEPS: dict[str, Step] = {
    "toolchain": _toolchain,
    "fmt": _fmt,
    "format": _format,
    "lint": _lint,
    "types": _types,
    "pythons": _pythons,
    "unit": _unit,
    "frontend": _frontend,
    "bundle": _bundle,
    "scenarios": _scenarios,
    "vigil": _vigil,
    "apart": _apart,
    "browser": _browser,
    "reliability": _reliability,
    "audit": _audit,
    "sbom": _sbom,
    "wheel": _wheel,
    "packages": _packages,
    "docs": _docs,
    "upstream": _upstream,
}


def _succeeds(*command: str, environment: Mapping[str, str] | None = None) -> bool:
    return _exit_code(*command, environment=environment) == 0


def _exit_code(*command: str, environment: Mapping[str, str] | None = None) -> int:
    """Run a command to its end, also when told to stop: it may have clusters to take down."""
    return unit_run.exit_codes([command], ROOT, environment)[0]
