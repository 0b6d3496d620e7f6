"""Does the module run on every Python that a ceph-mgr may have? Asked of those that are at hand.

3.9 is the oldest (container images of Reef and Squid) and the one that matters: it imports the
modules that need no Ceph and runs their tests, or, where there is none, vermin reads the sources.
Newer ones compile everything, with their warnings as errors.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from toolchain import unit_run
from toolchain.bootstrap import GATE39, ROOT, ensure

OLDEST = "3.9"
NEWER = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
HOUSE = ROOT / "mgr_module"

VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
COMPILE = (
    "import pathlib, sys;[compile(pathlib.Path(f).read_bytes(), f, 'exec') for f in sys.argv[1:]]"
)
IMPORT = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"


_KNOW_CEPH = ("__init__", "ceph", "clients", "module", "programs", "wiring")
# What a newer syntax or library breaks is seen in each test, so not every case of it is run.
_CASES = "--cases=2"


def check(tools: Path, quick: bool = False) -> bool:
    """Ask every Python at hand; `tools` is where vermin is, `quick` leaves most cases out."""
    oldest = find(OLDEST)
    good = _run_on_oldest(oldest, quick) if oldest else _read_by_vermin(tools / "vermin")
    for version in NEWER:
        python = find(version)
        if python:
            compiles = _says_yes(python, COMPILE, map(str, _sources()))
            print(f"Python {version}: the sources {'compile' if compiles else 'do not compile'}")
            good = good and compiles
    return good


def find(version: str) -> str | None:
    """A working interpreter of that version, on the PATH or among pyenv's."""
    on_path = shutil.which(f"python{version}")
    kept = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}")
    # A pyenv shim is on the PATH also when the version behind it is not chosen: it has to answer.
    for python in [*([on_path] if on_path else []), *map(str, sorted(kept))]:
        asked = subprocess.run([python, "-c", VERSION], check=False, capture_output=True, text=True)
        if asked.stdout.strip() == version:
            return python
    return None


def _run_on_oldest(python: str, quick: bool) -> bool:
    tools = ensure(GATE39, python)
    print(f"Python {OLDEST}: importing the modules that need no Ceph, and running their tests")
    pytest = [str(tools / "pytest"), "--quiet", "-m", "not cluster"]
    pytest += [_CASES] if quick else []
    tests = unit_run.files(ROOT, "house", "qa")
    return _says_yes(str(tools / "python"), IMPORT, _pure()) and unit_run.passes(
        pytest, tests, _exit_codes, ROOT / "build" / "unit-cache-oldest"
    )


def _read_by_vermin(vermin: Path) -> bool:
    print(f"Python {OLDEST}: there is none here, so vermin reads the sources")
    return _succeeds(
        str(vermin), f"--target={OLDEST}-", "--no-tips", "--violations", str(HOUSE / "perf_bench")
    )


def _sources() -> list[Path]:
    return sorted((HOUSE / "perf_bench").rglob("*.py"))


def _pure() -> Iterator[str]:
    """The names of the modules that can be imported without Ceph, or what knows it."""
    for source in _sources():
        parts = source.relative_to(HOUSE).with_suffix("").parts
        if parts[1] not in _KNOW_CEPH:
            yield ".".join(parts).removesuffix(".__init__")


def _says_yes(python: str, code: str, arguments: Iterable[str]) -> bool:
    # Not from the root: there, `import mgr_module` finds our folder.
    return _succeeds(python, "-B", "-W", "error::SyntaxWarning", "-c", code, *arguments, cwd=HOUSE)


def _succeeds(*command: str, cwd: Path = ROOT) -> bool:
    return subprocess.run(command, check=False, cwd=cwd, env=_environment()).returncode == 0


def _exit_codes(commands: unit_run.Commands) -> Sequence[int]:
    return unit_run.exit_codes(commands, ROOT, _environment())


def _environment() -> dict[str, str]:
    # Another Python finds what newer syntax or another library break: a few examples will do.
    return {**unit_run.environment(), "HYPOTHESIS_PROFILE": "brief"}
