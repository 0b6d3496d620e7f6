"""The program that tries one target: `python -m reliability.fuzz.child TARGET OUT --seed …`.

libFuzzer (by atheris) chooses inputs by the lines that they reach. A fault does not end the run: it
is kept by where it was raised, with the smallest input that shows it. The last answer is written to
OUT as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import types
from pathlib import Path
from types import FrameType
from typing import Any, Callable, NoReturn, Optional

import atheris  # type: ignore[import-not-found]

# Nothing under trial calls RADOS; the modules that can import it.
sys.modules["rados"] = types.ModuleType("rados")
sys.modules["rados"].__dict__.update(dict.fromkeys(("Watch", "Rados", "Completion"), object))
with atheris.instrument_imports(include=["perf_bench"]):
    from reliability.fuzz.targets import TARGETS, Target, Unanswered

from reliability.fuzz.mutate import mutated, smaller  # noqa: E402 - sorted by what is above

# An input may take this long, and so much memory more than all before it.
LONGEST_SECONDS = 5
MOST_MEMORY = 256 << 20
_LARGEST_INPUT = 1 << 16
# Faults that are kept: beyond it the first ones tell enough.
_MOST_FAULTS = 50
_MINIMISING_SECONDS = 30


class _TooLong(BaseException):
    """No `except Exception` of the code under trial may take this for its own."""


class Trials:
    """Counts inputs, and keeps what went wrong."""

    def __init__(self, target: Target, out: Path, seconds: float, runs: int) -> None:
        self._target = target
        self._out = out
        self._ends = time.monotonic() + seconds
        self._runs = runs
        self._began = time.monotonic()
        self._faults: dict[str, tuple[bytes, str]] = {}
        self._highest = _peak()
        self.inputs = 0
        self._slowest = 0.0

    def one(self, data: bytes) -> None:
        """Try one input; at the end of the trials the process ends."""
        if self.inputs >= self._runs or time.monotonic() > self._ends:
            self.finish()
        if self._target.renewed and self.inputs % self._target.renewed == 0:
            self._target.begin()
            self._highest = max(self._highest, _peak())
        self.inputs += 1
        began = time.monotonic()
        fault = self._fault(data)
        self._slowest = max(self._slowest, time.monotonic() - began)
        if fault is not None and len(self._faults) < _MOST_FAULTS:
            where, text = fault
            if where not in self._faults:
                print(f"fault {where}", file=sys.stderr, flush=True)
            if where not in self._faults or len(data) < len(self._faults[where][0]):
                self._faults[where] = (data, text)

    def _fault(self, data: bytes) -> Optional[tuple[str, str]]:
        """Where and what went wrong with this input; None if nothing did."""
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
        try:
            self._target.trial(data.decode("utf-8", "replace"))
        except (Exception, _TooLong) as error:  # noqa: BLE001 - finding these is the purpose
            signal.setitimer(signal.ITIMER_REAL, 0)
            return _place(error), "".join(traceback.format_exception(error))[-6000:]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        grown, self._highest = _peak() - self._highest, max(self._highest, _peak())
        if grown > MOST_MEMORY:
            return "memory", f"the input took {grown >> 20} MiB more than any before"
        return None

    def finish(self) -> NoReturn:
        """Make the inputs of faults small, write the answer and end the process."""
        answer: dict[str, Any] = {
            "inputs": self.inputs,
            "seconds": round(time.monotonic() - self._began, 1),
            "slowest_ms": round(self._slowest * 1000, 1),
            "peak_mib": _peak() >> 20,
            "faults": [],
        }
        until = time.monotonic() + _MINIMISING_SECONDS
        for where, (data, text) in self._faults.items():
            small = smaller(data, self._shower(where, until))
            found = {"where": where, "text": text, "input": small.decode("utf-8", "replace")}
            answer["faults"].append(found)
        self._out.write_text(json.dumps(answer, indent=2), encoding="utf-8")
        self._target.end()
        sys.stderr.flush()
        os._exit(0)  # libFuzzer would go on

    def _shower(self, where: str, until: float) -> Callable[[bytes], bool]:
        """Whether an input shows the fault of this place; no longer after ``until``."""

        def shows(data: bytes) -> bool:
            fault = self._fault(data) if time.monotonic() < until else None
            return fault is not None and fault[0] == where

        return shows


def _place(error: BaseException) -> str:
    """The kind of error, and the innermost line of the module that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "/perf_bench/" in one.filename]
    kind = type(error).__name__
    if isinstance(error, Unanswered):
        return f"{kind}: {error.kind}"
    if not ours:
        return f"{kind} in the trial"
    return f"{kind} at {ours[-1].filename.rpartition('/perf_bench/')[2]}:{ours[-1].lineno}"


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _late(_signal: int, _frame: Optional[FrameType]) -> None:
    raise _TooLong(f"an input took more than {LONGEST_SECONDS} s")


def main(words: list[str]) -> None:
    """Never returns: the trials end the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args(words)
    target = TARGETS[given.target]()
    signal.signal(signal.SIGALRM, _late)
    corpus = given.out.with_suffix(".corpus")
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"{number:04d}").write_text(json.dumps(seed), encoding="utf-8")
    target.begin()
    trials = Trials(target, given.out, given.seconds, given.runs)

    def mutate(data: bytes, size: int, seed: int) -> bytes:
        return mutated(data, size, seed, atheris.Mutate)

    arguments = [
        sys.argv[0], f"-seed={given.seed % (1 << 32)}", f"-max_len={_LARGEST_INPUT}",
        "-timeout=60", "-rss_limit_mb=0", "-print_final_stats=1", "-verbosity=1", str(corpus),
    ]  # fmt: skip
    one: Callable[[bytes], Any] = trials.one
    atheris.Setup(arguments, one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - told, and the process ends
        traceback.print_exc()
        os._exit(1)  # threads of the store, and libFuzzer's own, would keep the process
