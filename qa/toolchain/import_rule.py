"""The import rule of the house: who may know whom inside `perf_bench`.

A unit is a folder or a file directly under `mgr_module/perf_bench/`. What a unit may import is
one row of `ARROWS`; what stands in no row is not allowed, a new unit needs a row of its own.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

PACKAGE = "perf_bench"

STAGES = frozenset(
    ("collect", "store", "detect", "report", "schedule", "run", "record", "compare", "doctor")
)
_NOUNS = frozenset(("model", "errors"))
_BASE = _NOUNS | {"ports"}

# Unit -> the other units it may import. Its own folder it may always.
ARROWS: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "version": frozenset(),
    "model": frozenset(("errors",)),
    "ports": _NOUNS,
    **dict.fromkeys(STAGES, _BASE),
    "settings": _BASE,
    "run": _BASE | {"settings"},
    "clients": _NOUNS,
    "workers": _NOUNS | {"clients", "version"},
    "ceph": _BASE | {"clients", "workers"},
    "tool": _BASE | {"settings", "version", "workers"},
    "warden": _BASE | STAGES | {"settings"},
    "heir": _BASE | STAGES | {"ceph", "settings"},
    "regressions": _BASE | STAGES,
    "hosts": _BASE | STAGES,
    "bench": _BASE | STAGES | {"regressions", "warden"},
    "shelves": _BASE | STAGES | {"hosts"},
    "orchestrated": _BASE | STAGES | {"hosts"},
    "crc": _BASE | STAGES | {"hosts", "shelves"},
    "practice": _BASE | STAGES | {"bench", "hosts"},
    "tuning": _BASE | STAGES | {"practice", "settings"},
    "timetable": _BASE | STAGES | {"bench"},
    "watch": _BASE | STAGES | {"regressions"},
    "api": _BASE
    | STAGES
    | {
        "bench",
        "crc",
        "hosts",
        "practice",
        "shelves",
        "timetable",
        "tuning",
        "version",
        "warden",
        "watch",
    },
    "cli": _BASE | {"report", "api"},
    "remote": _NOUNS | {"api"},
    "rota": _BASE | {"bench", "timetable", "warden"},
    "wiring": _BASE
    | STAGES
    | {
        "api",
        "bench",
        "ceph",
        "crc",
        "heir",
        "hosts",
        "orchestrated",
        "practice",
        "rota",
        "settings",
        "shelves",
        "timetable",
        "tuning",
        "warden",
        "watch",
    },
    "module": _BASE | STAGES | {"ceph", "cli", "remote", "wiring"},
    "__init__": frozenset(("module",)),
}

# Only these know ceph-mgr; `__init__` is here for its guarded import of `module`.
CEPH_UNITS = frozenset(("ceph", "wiring", "module", "__init__"))
CEPH_MODULES = frozenset(("mgr_module", "rados", "ceph_module", "ceph_argparse", "ctypes"))
# The host tool times the CRC32C of Ceph's library, where there is one; clients are bound to the
# life of who starts them by a system call.
ALLOWED = frozenset((("tool", "ctypes"), ("clients", "ctypes"), ("workers", "rados")))
# What every ceph-mgr has beside the standard library.
THIRD_PARTY = frozenset(("yaml", "prettytable", "cherrypy"))
# The host tool runs on hosts without Ceph's packages, so what it imports has the library only.
LIBRARY_ONLY = frozenset(("tool", "model", "errors", "ports", "settings", "version"))


class Import(NamedTuple):
    """One imported module by its full dotted name; `names` are what `from` takes out of it."""

    line: int
    module: str
    names: tuple[str, ...]


def violations(path: str, source: str) -> list[str]:
    """Every forbidden import of a file, as a sentence with its place.

    `path` is the file's place below `perf_bench/`, such as `store/rows.py`.
    """
    place = PurePosixPath(path)
    unit = place.with_suffix("").parts[0]
    if unit not in ARROWS:
        return [f"{path}: '{unit}' has no row in ARROWS: say there what it may import"]
    imports = _imports(ast.parse(source, path), (PACKAGE, *place.parent.parts))
    return [
        f"{path}:{found.line}: {problem}"
        for found in sorted(imports)
        for problem in _problems(unit, found)
    ]


def _imports(tree: ast.AST, package: Sequence[str]) -> Iterator[Import]:
    for node in ast.walk(tree):
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
        for target in below[:1] or found.names or (PACKAGE,):
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
