"""The part `mutants`: small changes to the code that decides; unit tests have to notice them."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomllib

from toolchain import unit_run
from toolchain.bootstrap import ROOT, Toolchain, ensure

from .. import results
from ..results import Kept
from ..trials import Order, Trial
from .kinds import MODULE, SAMPLES, Mutant, tests_of

_HERE = Path(__file__).parent
_TOOLS = Toolchain(ROOT / "build" / "reliability" / "mutants", _HERE.with_suffix(".lock"))
EQUIVALENT = _HERE / "equivalent.toml"
_SIDE_BY_SIDE = 2
_NICE = 19
# Why no test can notice a change, by file and lines before and after.
Known = Mapping[tuple[str, str, str], str]
_FATES = ("drawn", "killed", "equivalent", "survived", "not tried")


class Reach(NamedTuple):
    """The tests that reach each line of each file, and how long each test takes, in seconds."""

    lines: Mapping[str, Mapping[str, Sequence[str]]]
    seconds: Mapping[str, float]

    def tests(self, mutant: Mutant, source: str) -> tuple[Sequence[str], bool]:
        """The tests to run, the shortest first; and whether an import runs the line too."""
        lines = self.lines.get(mutant.file, {})
        first, last = statement(source, mutant.line, mutant.last_line)
        met = {name for line in range(first, last + 1) for name in lines.get(str(line), ())}
        if met != {""}:
            return self._sorted(met), "" in met
        # What it makes may be used anywhere, but most likely in its own file.
        near = self._sorted({name for names in lines.values() for name in names})
        return [*near, *self._sorted(set(self.seconds) - set(near))], True

    def _sorted(self, met: Collection[str]) -> Sequence[str]:
        """By file, so that its fixtures are made once; a file stands for all its tests."""
        files = {name for name in met if name and "::" not in name}
        known = {name for name in self.seconds if name in met or _file(name) in files}
        within: dict[str, float] = {}
        for name in known:
            within[_file(name)] = within.get(_file(name), 0.0) + self.seconds[name]
        return sorted(known, key=lambda one: (within[_file(one)], _file(one), self.seconds[one]))


def _file(name: str) -> str:
    return name.partition("::")[0]


def statement(source: str, line: int, last_line: int) -> tuple[int, int]:
    """The lines of the innermost statement around these, without the statements in it."""
    best = (line, last_line)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt):
            continue
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if first <= line <= max(first, last):
            best = (first, max(first, last, last_line))
    return best


def run(order: Order) -> Iterator[Trial]:
    """Try the mutants of the seed that have not been killed yet."""
    ends = time.monotonic() + order.seconds
    programs = ensure(_TOOLS)
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=_memory()) as name:
        trees = [_tree(Path(name) / str(number)) for number in range(_SIDE_BY_SIDE)]
        sample = order.folder / f"mutants-{order.seed}-{_digest(trees[0], MODULE)}.json"
        if not sample.is_file():
            print("   drawing", flush=True)
            _call(programs, trees[0], "sample", str(order.seed), str(sample))
        drawn = [Mutant(**each) for each in json.loads(sample.read_text(encoding="utf-8"))]
        equivalent = known(EQUIVALENT)
        for folder in wanted_folders(order):
            wanted = to_try([mutant for mutant in drawn if mutant.folder == folder], order)
            if wanted and time.monotonic() < ends:
                reach = _reach(programs, trees[0], folder, order.folder)
                yield from _tried(programs, trees, wanted, reach, ends, equivalent)
    print("\n".join(figures(drawn, results.read())))


def to_try(drawn: Sequence[Mutant], order: Order) -> Sequence[Mutant]:
    """Those that did not pass when they were tried last; those that failed come first."""
    left = [mutant for mutant in drawn if mutant.name not in order.held]
    return sorted(left, key=lambda mutant: mutant.name not in order.failing)


def wanted_folders(order: Order) -> Sequence[str]:
    """Those of the order, or all; raises ValueError for one without a sample."""
    sampled = [folder for folder, _ in SAMPLES]
    if unknown := order.folders.difference(sampled):
        raise ValueError(f"no sample of {', '.join(sorted(unknown))}; there is {sampled}")
    return [folder for folder in sampled if not order.folders or folder in order.folders]


def _memory() -> str | None:
    return unit_run.environment().get("TMPDIR")


def _tree(folder: Path) -> Path:
    """A copy of the working tree, without the front end."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if not name.startswith("dashboard_plugin/frontend/") and (ROOT / name).is_file():
            (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / "tree" / name)
    return folder / "tree"


def _start(programs: Path, tree: Path, program: str, *words: str) -> subprocess.Popen[str]:
    """Start a program of this part with the packages, the module and the tests of a tree."""
    environment = unit_run.environment()
    # Byte code is beside the sources of the tree, and none is written for a mutant.
    environment.pop("PYTHONPYCACHEPREFIX")
    if program == "child":
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    path = os.pathsep.join(str(tree / name) for name in ("qa", "mgr_module", "tests/lib"))
    command = [str(programs / "python"), "-P", "-m", f"reliability.mutants.{program}", *words]
    return subprocess.Popen(
        ["nice", "-n", str(_NICE), *command],
        cwd=tree,
        env={**environment, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _call(programs: Path, tree: Path, program: str, *words: str) -> None:
    process = _start(programs, tree, program, *words)
    said, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{program} {' '.join(words)} failed without a mutant:\n{said[-4000:]}")


def _digest(tree: Path, *places: str) -> str:
    """Changes with the sources there."""
    digest = hashlib.sha256()
    for found in (tree / place for place in places):
        for file in sorted([found] if found.is_file() else found.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _reach(programs: Path, tree: Path, folder: str, into: Path) -> Reach:
    """What the tests of a folder reach, measured anew when something of it has changed."""
    digest = _digest(tree, MODULE, "tests/lib", "tests/conftest.py", *tests_of(folder))
    kept = into / f"reach-{folder.replace('/', '-')}-{digest}.json"
    if not kept.is_file():
        print(f"   what the tests of {folder} reach", flush=True)
        _call(programs, tree, "reach", folder, str(kept))
    return Reach(**json.loads(kept.read_text(encoding="utf-8")))


def _tried(
    programs: Path,
    trees: Sequence[Path],
    wanted: Sequence[Mutant],
    reach: Reach,
    ends: float,
    equivalent: Known,
) -> Iterator[Trial]:
    """The mutants of a folder: each tree takes the next one when it has answered."""
    waiting = iter(wanted)
    done: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()
    next_one, stop = threading.Lock(), threading.Event()

    def work(tree: Path) -> None:
        child = _Child(programs, tree, wanted[0].folder)
        while time.monotonic() < ends and not stop.is_set():
            with next_one:
                mutant = next(waiting, None)
            if mutant is None:
                break
            done.put(_trial(mutant, child.ask(_question(mutant, reach)), equivalent))
        child.end()
        done.put(None)

    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            while (trial := done.get()) is not None:
                yield trial
    finally:
        stop.set()
        for thread in threads:
            thread.join()


class _Child:
    """A program that tries mutants in a tree, started anew if it has ended."""

    def __init__(self, programs: Path, tree: Path, folder: str) -> None:
        self._programs, self._tree, self._folder = programs, tree, folder
        self._log = tree.parent / "log"
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return _start(self._programs, self._tree, "child", self._folder, str(self._log))

    def ask(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it answers; without an answer, the end of its log under `broken`."""
        into, out = self._process.stdin, self._process.stdout
        if into is not None and out is not None:
            with contextlib.suppress(OSError):
                into.write(json.dumps(question) + "\n")
                into.flush()
            if answer := out.readline():
                return json.loads(answer)  # type: ignore[no-any-return]
        self.end()
        said = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
        self._process = self._started()
        return {"by": "", "broken": said, "seconds": 0.0}

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._process.communicate()


def _question(mutant: Mutant, reach: Reach) -> dict[str, Any]:
    source = (ROOT / MODULE / mutant.file).read_text(encoding="utf-8")
    tests, imported = reach.tests(mutant, source)
    seconds = sum(reach.seconds[name] for name in tests)
    asked = {"file": mutant.file, "changed": mutant.changed}
    return {**asked, "tests": tests, "imported": imported, "seconds": seconds}


def _trial(mutant: Mutant, answer: Mapping[str, Any], equivalent: Known) -> Trial:
    where = f"{mutant.file}:{mutant.line} {mutant.operator}"
    why = equivalent.get((mutant.file, mutant.before, mutant.after))
    faults: tuple[str, ...] = ()
    if "broken" in answer:
        note, faults = where, (f"{where}: could not be tried: {answer['broken']}",)
    elif answer["by"]:
        note = f"{where}{results.KILLED}{answer['by']}"
    elif why:
        note = f"{where}: equivalent: {why}"
    else:
        note = where
        faults = (f"{where}: survived {answer['tests']} tests",)
    return Trial(mutant.name, 1, answer["seconds"], faults, note, mutant.folder)


def known(path: Path) -> Known:
    """Read the list of equivalent mutants."""
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", ())
    return {(one["file"], one["before"], one["after"]): one["why"] for one in listed}


def figures(drawn: Iterable[Mutant], found: Iterable[Kept]) -> Sequence[str]:
    """What became of a sample: a row of a table in Markdown for each folder."""
    last = {one.trial.what: one.trial for one in found if one.part == "mutants"}
    counts: dict[str, Counter[str]] = {}
    for mutant in drawn:
        trial = last.get(mutant.name)
        for folder in (mutant.folder, "all"):
            counts.setdefault(folder, Counter())["drawn"] += 1
            counts[folder][_fate(trial)] += 1
    rows = [f"| {' | '.join(('folder', *_FATES, 'killed of tried'))} |", "| --- " * 7 + "|"]
    for folder, of in sorted(counts.items(), key=lambda row: row[0] == "all"):
        tried = of["drawn"] - of["not tried"]
        share = f"{100 * of['killed'] / tried:.1f} %" if tried else "-"
        rows.append(f"| {folder} | {' | '.join(str(of[fate]) for fate in _FATES)} | {share} |")
    return rows


def _fate(trial: Trial | None) -> str:
    if trial is None:
        return "not tried"
    if trial.faults:
        return "survived"
    return "equivalent" if ": equivalent: " in trial.note else "killed"
