"""The sentences of the module that the tab can say in other languages: codes and templates."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

FILE = Path("dashboard_plugin") / "schema" / "sentences.json"
_MODULE = Path("mgr_module") / "perf_bench"


def written(root: Path) -> str:
    """Every code with its English template, as the front end reads it.

    Raises ValueError for what is no literal, and for a code with two templates.
    """
    found: dict[str, str] = {}
    for file, call in all_calls(root):
        code, template = literals(call, file)
        if found.setdefault(code, template) != template:
            raise ValueError(f"{file}:{call.lineno}: {code} has another template elsewhere")
    return json.dumps(dict(sorted(found.items())), indent=2, ensure_ascii=False) + "\n"


def all_calls(root: Path) -> Iterator[tuple[Path, ast.Call]]:
    """The calls of ``say`` in the module, with their files."""
    for file in sorted((root / _MODULE).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "say(" in text:  # parsing takes far longer
            yield from ((file, call) for call in calls(ast.parse(text)))


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls of ``say`` in a file that imports it from model.said."""
    imported = any(
        isinstance(node, ast.ImportFrom)
        and (node.module or "").endswith("said")
        and any(name.name == "say" for name in node.names)
        for node in ast.walk(tree)
    )
    for node in ast.walk(tree):
        if imported and isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
            yield node


def literals(call: ast.Call, file: Path) -> tuple[str, str]:
    """Code and template of a call. Raises ValueError if they are no literals."""
    texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
    if not len(texts) == len(call.args) == 2 or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{file}:{call.lineno}: code and template must be literals")
    return str(texts[0]), str(texts[1])
