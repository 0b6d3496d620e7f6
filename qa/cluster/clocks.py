"""Clocks of mgrs that can be set: `time.time` of their Python, by a file with each one's offset.

So the modules' clock steps, and that of their programs; not that of ceph-mgr's own code, of SQLite
and of other daemons. libfaketime 0.9.10 is no way to it: where it leaves the monotonic clock true
`time.sleep` of Python 3.11 fails with EINVAL, and where not `Event.wait` never returns.
"""

from __future__ import annotations

import os
from pathlib import Path

from .spec import Spec

_FILE = "PERF_BENCH_CLOCK"
# Python imports it in every interpreter that it makes.
_SITE = f"""import os
import time

true = time.time


def ahead():
    with open(os.environ["{_FILE}"]) as file:
        return int(file.read())


time.time = lambda: true() + ahead()
time.time_ns = lambda: int(time.time() * 1e9)
"""


def prepare(spec: Spec) -> None:
    """Let mgrs that start from now on have a clock that can be set."""
    _folder(spec).mkdir()
    (_folder(spec) / "sitecustomize.py").write_text(_SITE, encoding="ascii")
    for daemon in spec.mgr_daemons:
        put(spec, daemon, 0)


def put(spec: Spec, daemon: str, seconds: int) -> None:
    """From now on the mgr's clock is by so much ahead."""
    new = _folder(spec) / f"{daemon}.new"
    new.write_text(f"{seconds}\n", encoding="ascii")
    new.replace(_folder(spec) / daemon)


def environment(spec: Spec, daemon: str, python_path: str = "") -> dict[str, str]:
    """What a daemon's process gets, whose Python looks for packages in ``python_path``."""
    own = _folder(spec)
    if not (own / daemon).is_file():
        return {"PYTHONPATH": python_path} if python_path else {}
    paths = [str(own), python_path] if python_path else [str(own)]
    return {_FILE: str(own / daemon), "PYTHONPATH": os.pathsep.join(paths)}


def _folder(spec: Spec) -> Path:
    return spec.dir / "clocks"
