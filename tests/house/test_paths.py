"""Every path of the repository that the documents name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

PACKAGE = "mgr_module/perf_bench"
# Where a path may begin, beside the root and the document's own folder.
BEGINNINGS = (
    PACKAGE,
    "dashboard_plugin",
    "dashboard_plugin/frontend",
    "dashboard_plugin/frontend/src/app",
)
# Paths of other things: of the REST API, and in the URL of a tool.
OTHERS = {"api/perf_bench"}

_CODE = re.compile(r"```.*?```|`[^`]+`|(?<=\]\()[^)]+", re.DOTALL)
_PATH = re.compile(r"(?<![\w./:~$<{*-])(?:\.\./)*(?:[\w.-]+/)+[\w.-]*")
_SOURCE = re.compile(r"\.(?:py|pyi|ts|mjs|css|md|sql|ya?ml)$")
_LINK = re.compile(r"(?<=\]\()[\w./-]+")


def _paths(text: str, folders: set[str]) -> Iterator[str]:
    """The paths that a document names: of sources, and below a folder of ours."""
    yield from (hit.group() for hit in _LINK.finditer(text))
    for code in _CODE.finditer(text):
        for hit in _PATH.finditer(code.group()):
            path = hit.group().rstrip("./")
            if _SOURCE.search(path) or path.split("/")[0] in folders:
                yield path


def _is_there(path: str, document: str, places: set[str]) -> bool:
    here = PurePosixPath(document).parent
    while path.startswith("../"):
        path, here = path.removeprefix("../"), here.parent
    begin = ("", str(here), *BEGINNINGS)
    full = [str(PurePosixPath(folder, path)) for folder in begin]
    return path in OTHERS or any(one in places or f"{one}.py" in places for one in full)


def _missing(name: str, text: str, tree: list[str]) -> list[str]:
    places = {str(place) for file in tree for place in PurePosixPath(file).parents} | set(tree)
    folders = {path.split("/")[0] for path in tree if "/" in path} | {
        path[len(PACKAGE) + 1 :].split("/")[0]
        for path in places
        if path.startswith(f"{PACKAGE}/") and path not in tree
    }
    found = _paths(text, folders)
    return sorted({path for path in found if not _is_there(path, name, places)})


def test_every_path_that_a_document_names_is_there(root: Path, tree: list[str]) -> None:
    # The changelog speaks of versions before.
    documents = [name for name in tree if name.endswith(".md") and name != "CHANGELOG.md"]
    assert {"README.md", "docs/developing.md"} <= set(documents)
    missing = {
        name: found
        for name in documents
        if (found := _missing(name, (root / name).read_text(encoding="utf-8"), tree))
    }
    assert not missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`bench/run/guard.py`, `bench/run/guard`, `bench/run/`, `qa/replay TRACE`", []),
        ("`bench/run/warden.py` and `warden/guard.py`", ["bench/run/warden.py", "warden/guard.py"]),
        ("```\nqa/bench/run --only tab  # of before\n```", ["qa/bench/run"]),
        ("[here](other.md#part) and [there](gone.md), [up](../README.md)", ["gone.md"]),
        ("`mgr/perf_bench/quiesce`, `/tmp/bench/x`, read/write, `osd.N/`, `api/perf_bench`", []),
    ],
)
def test_a_path_that_is_gone_is_seen(text: str, missing: list[str]) -> None:
    tree = ["README.md", "docs/other.md", f"{PACKAGE}/bench/run/guard.py", "qa/replay"]
    tree += [f"{PACKAGE}/answers/api.py"]
    assert _missing("docs/this.md", text, tree) == missing
