"""The import rule: which unit of `perf_bench` may import which.

A unit is the longest prefix of a file's path that has a row in `ARROWS`: `bench/plan/osds.py` is
of `bench/plan`, `bench/service.py` of `bench`, `module.py` of `module`. What a unit may import is
its row; what stands in no row is not allowed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

PACKAGE = "perf_bench"

_NOUNS = frozenset(("model", "errors"))
_BASE = _NOUNS | {"core"}

# Each of one journey, strangers to one another but for the two arrows below.
STAGES = frozenset(
    (
        "bench/admission",
        "bench/plan",
        "bench/record",
        "bench/compare",
        "bench/times",
        "watch/collect",
        "watch/breakdown",
        "watch/detect",
        "watch/blame",
        "watch/slow_osd",
        "hardware/rules",
        "doctor/checks",
        "store",
        # What the whole house writes as text.
        "answers/text",
    )
)

# All that is stored, and its thread: what reads and writes rows names their types.
_STORED = _BASE | {"store"}
# Settings that are changed for a while: the host tool puts them back with the same files.
HELD = frozenset(("bench/held", "bench/held_kinds"))

# Unit -> the other units it may import. Its own files it may always.
ARROWS: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "version": frozenset(),
    "model": frozenset(("errors",)),
    "core": _NOUNS,
    **dict.fromkeys(STAGES, _BASE),
    **dict.fromkeys(("bench/record", "bench/compare"), _STORED),
    "watch/detect": _STORED | {"watch/blame"},
    "watch/slow_osd": _BASE | {"watch/blame"},
    "bench/admission": _BASE | {"bench/times"},
    "bench/plan": _BASE | {"bench/admission"},
    "bench/held": _BASE | {"bench/held_kinds"},
    "bench/held_kinds": _BASE,
    "clients": _BASE | {"ceph", "version"},
    "bench": _BASE | STAGES | HELD,
    "hardware": _BASE | STAGES,
    "hardware/rules": _BASE | {"watch/blame"},
    "doctor": _BASE | STAGES | HELD | {"bench", "hardware"},
    # The publisher makes health checks.
    "watch": _BASE | STAGES | {"watch/blame"},
    "watch/blame": _BASE,
    "ceph": _BASE | {"version"},
    "programs": _BASE | {"ceph", "clients"},
    "tool": _BASE | HELD | {"clients", "version"},
    # It asks the services.
    "answers": _STORED | {"answers/text", "bench", "doctor", "hardware", "version", "watch"},
    "wiring": _BASE
    | STAGES
    | HELD
    | {"answers", "bench", "ceph", "clients", "doctor", "hardware", "watch"},
    "module": _BASE | {"answers", "ceph", "wiring"},
    "__init__": frozenset(("module",)),
}

# Only these know ceph-mgr; `__init__` is here for its guarded import of `module`.
CEPH_UNITS = frozenset(("ceph", "wiring", "module", "__init__"))
CEPH_MODULES = frozenset(("mgr_module", "rados", "ceph_module", "ceph_argparse", "ctypes"))
# The host tool times the CRC32C of Ceph's library, where there is one; clients are bound to the
# life of who starts them by a system call.
ALLOWED = frozenset(
    (
        ("tool", "ctypes"),
        ("clients", "ctypes"),
        ("clients", "rados"),
        ("programs", "rados"),
        ("programs", "ctypes"),
    )
)
# Where threads are begun and locks taken. All else is decided on the loop (core/loop.py) and needs
# none.
THREADED = frozenset(("core", "ceph", "clients", "programs", "tool"))
_POOLS = frozenset(("ThreadPoolExecutor", "ProcessPoolExecutor"))
# What every ceph-mgr has beside the standard library.
THIRD_PARTY = frozenset(("yaml",))
# The host tool runs on hosts without Ceph's packages, so what it imports has the library only.
LIBRARY_ONLY = HELD | {"tool", "core", "model", "errors", "version"}
# Programs run beside the mgr, where `mgr_module` cannot be imported, neither by what they import.
APART, NEVER = "programs", "mgr_module"


class Import(NamedTuple):
    """One imported module by its full dotted name; `names` are what `from` takes out of it."""

    line: int
    module: str
    names: tuple[str, ...]


def unit_of(path: str) -> str:
    """The unit of a file or folder below `perf_bench/`: the longest prefix with a row.

    Without one it is the first part, which has no row then.
    """
    parts = PurePosixPath(path).with_suffix("").parts
    for end in range(len(parts), 0, -1):
        prefix = "/".join(parts[:end])
        if prefix in ARROWS:
            return prefix
    return parts[0]


def violations(path: str, source: str) -> list[str]:
    """Every forbidden import of a file, as a sentence with its place.

    `path` is the file's place below `perf_bench/`, such as `store/rows.py`.
    """
    unit = unit_of(path)
    if unit not in ARROWS:
        return [f"{path}: '{unit}' has no row in ARROWS: say there what it may import"]
    return [
        f"{path}:{found.line}: {problem}"
        for found in sorted(imports_in(path, source, _package(path)))
        for problem in (*_problems(unit, found), *_on_the_loop(unit, found))
    ]


def arrows(house: Path) -> set[tuple[str, str]]:
    """Which unit imports which other unit, in the files below `house`."""
    units = {
        (unit_of(path), unit_of(target))
        for path, targets in _graph(house).items()
        for target in targets
    }
    return {(unit, target) for unit, target in units if unit != target}


def circles(house: Path) -> list[tuple[str, ...]]:
    """Files that import each other in a loop, also where only a type checker looks."""
    graph = _graph(house)
    return sorted(
        {
            tuple(sorted(other for other in reached if path in _reached(graph, other)))
            for path in graph
            if path in (reached := _reached(graph, path))
        }
    )


def strays(house: Path) -> list[str]:
    """Programs that reach `mgr_module` through what they import, each with the file that does."""
    graph = _graph(house)
    return sorted(
        f"{path} reaches {NEVER} through {target}"
        for path in graph
        if unit_of(path) == APART
        for target in {path, *_reached(graph, path)}
        if any(found.module.split(".")[0] == NEVER for found in _imports_of(house, target))
    )


def summary(house: Path) -> str:
    """How many units there are, and how many of them import each other."""
    pairs = arrows(house)
    units = {unit_of(path) for path in _graph(house)}
    return f"{len(units)} units, {len(pairs)} arrows, {len(circles(house))} circles"


def _package(path: str) -> tuple[str, ...]:
    return (PACKAGE, *PurePosixPath(path).parent.parts)


def _imports_of(house: Path, path: str) -> Iterator[Import]:
    source = (house / path).read_text(encoding="utf-8")
    return imports_in(path, source, _package(path))


def _graph(house: Path) -> dict[str, set[str]]:
    """File -> the files below `house` that it imports. The package's own `__init__` is no file."""
    files = {file.relative_to(house).as_posix() for file in house.rglob("*.py")} - {"__init__.py"}
    return {
        path: {
            target
            for found in _imports_of(house, path)
            for target in _targets(found, files)
            if target != path
        }
        for path in sorted(files)
    }


def _targets(found: Import, files: set[str]) -> Iterator[str]:
    top, *below = found.module.split(".")
    if top != PACKAGE:
        return
    for name in found.names or ("",):
        for parts in ((*below, name) if name else below, below):
            stem = "/".join(parts)
            file = next((f for f in (f"{stem}.py", f"{stem}/__init__.py") if f in files), None)
            if file:
                yield file
                break


def _reached(graph: Mapping[str, set[str]], path: str) -> set[str]:
    """All that a file imports, and what that imports; the file itself only where a loop leads."""
    reached: set[str] = set()
    ahead = [*graph[path]]
    while ahead:
        target = ahead.pop()
        if target not in reached:
            reached.add(target)
            ahead += graph[target]
    return reached


def imports_in(path: str, source: str, package: Sequence[str]) -> Iterator[Import]:
    """Every import of a file that lies in `package`, anywhere in its source."""
    names = any(word in source for word in ("import_module", "__import__"))
    tree = ast.parse(source, path)
    for node in ast.walk(tree) if names else _statements(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, ())
        elif isinstance(node, ast.ImportFrom):
            # `from ..model import x` in perf_bench.store: one dot is the package itself.
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *(node.module or "").split("."))).rstrip(".")
            yield Import(node.lineno, module, tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.Call) and _called(node.func) in ("import_module", "__import__"):
            yield Import(node.lineno, _literal(node.args), ())


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All statements, also those inside others; much faster than a walk of every expression."""
    for node in body:
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, ())
            # That of a lambda, or of an `if` in an expression, is no list.
            yield from _statements(inner if isinstance(inner, list) else ())


def _called(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _literal(arguments: Sequence[ast.expr]) -> str:
    """The first argument where it is a text in the source, else empty."""
    if arguments and isinstance(arguments[0], ast.Constant):
        return str(arguments[0].value)
    return ""


def _problems(unit: str, found: Import) -> Iterator[str]:
    module = found.module
    top, *below = module.split(".")
    if not module:
        yield f"'{unit}' imports by a computed name: nobody can check that"
    elif top == PACKAGE:
        for target in _units(below, found.names):
            if target != unit and target not in ARROWS[unit]:
                yield f"'{unit}' may not import '{target}'"
    elif top in CEPH_MODULES:
        if unit not in CEPH_UNITS and (unit, top) not in ALLOWED:
            yield f"'{unit}' may not know Ceph: it imports '{module}'"
    elif top in THIRD_PARTY:
        if unit in LIBRARY_ONLY:
            yield f"'{unit}' may import the standard library only, not '{module}'"
    elif top not in sys.stdlib_module_names:
        yield f"'{module}' is not in every ceph-mgr"


def _on_the_loop(unit: str, found: Import) -> Iterator[str]:
    threads = found.module == "threading" or not _POOLS.isdisjoint(found.names)
    if threads and unit not in THREADED:
        yield f"'{unit}' is decided on the loop: it may start no thread and take no lock"


def _units(below: Sequence[str], names: Sequence[str]) -> list[str]:
    """The units that `from perf_bench.<below> import <names>` means, each once."""
    paths = ["/".join((*below, name)) for name in names] or ["/".join(below) or PACKAGE]
    return sorted({unit_of(path) for path in paths})
