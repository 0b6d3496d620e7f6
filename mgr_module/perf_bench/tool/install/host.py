"""Puts the module and the tab's controllers into the folder of a host's mgr modules.

All is copied beside, read back, and then renamed, so that an error before that changes nothing.
New files are written two levels deep: ceph-mgr takes every folder with a ``module.py`` for a
module, and ends at its start if it may not look into one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ...errors import InvalidValue, NotFound, PerfBenchError
from ...version import MANIFEST
from .payload import CONTROLLERS, Payload, checksum

# In the first line of each controller of ours. Ceph's own files do not have it.
MARK = b"ceph-perf-bench"
_OURS = ("perf_bench*.py", "_perf_bench*.py")
_CAUSES = {
    errno.ENOSPC: "there is no space left",
    errno.EDQUOT: "the quota is used up",
    errno.EROFS: "the file system is read-only; in a container, install into its image",
    errno.EACCES: "run this as root",
    errno.EPERM: "run this as root",
}


class Difference(NamedTuple):
    """``what`` is missing, changed, unknown, unreadable for ceph-mgr, or left over."""

    path: Path
    what: str

    def __str__(self) -> str:
        return f"{self.path} is {self.what}"


class Host:
    """The mgr modules of a host. Methods raise PerfBenchError and OSError: see ``sentences``."""

    def __init__(self, modules: Path) -> None:
        self.modules = modules
        self.module = modules / "perf_bench"
        self._controllers = modules / "dashboard" / "controllers"
        self._staging = modules / ".ceph-perf-bench.new"

    @property
    def has_dashboard(self) -> bool:
        return (self._controllers / "home.py").is_file()

    @property
    def manifest(self) -> Optional[dict[str, Any]]:
        """Of the installed module. None if it has none that can be read."""
        try:
            found = json.loads((self.module / MANIFEST).read_bytes())
            return found if isinstance(found["files"], dict) and found["build"] else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_installed(self) -> bool:
        return (self.module / "module.py").is_file()

    def check_ours(self) -> None:
        """Raises InvalidValue for a module or a controller that belongs to somebody else."""
        package = (self.manifest or {}).get("origin")
        if package:
            raise InvalidValue(
                f"{self.module} belongs to the package {package}: use the package manager"
            )
        if self.module.is_symlink() or (self.module.exists() and not self._is_ours()):
            raise InvalidValue(
                f"{self.module} is not of this module: it is left as it is; move it away first"
            )
        for path in self._our_controllers():
            if not self._is_our_controller(path):
                raise InvalidValue(f"{path} is not of this module: it is left as it is")

    def install(self, payload: Payload) -> None:
        """Put the files there, read them back, then rename them to their places."""
        self.check_ours()
        with self._alone():
            self._clear_leftovers()
            new, old = self._staging / "perf_bench", self._staging / "old"
            controllers = payload.controllers if self.has_dashboard else {}
            try:
                for name, content in (*payload.files.items(), (MANIFEST, payload.manifest)):
                    _write(new / name, content)
                for problem in _differences(new, payload.sums):
                    raise PerfBenchError(f"{problem} after it was written: nothing was installed")
                for name, content in controllers.items():
                    _write(self._beside(name), content)
                os.sync()  # a host that loses its power comes back with whole files
                if self.module.exists():
                    shutil.move(self.module, old)  # on an overlay it copies, and removes
                new.rename(self.module)
                for name in controllers:
                    self._beside(name).replace(self._controllers / name)
            finally:
                self._clear_leftovers()
            for path in self._our_controllers():
                if path.name not in controllers:
                    _remove_controller(path)

    def uninstall(self) -> bool:
        """Take everything away again; False if there was nothing."""
        self.check_ours()
        with self._alone():
            found = bool(self.module.exists() or self._our_controllers() or self._leftovers())
            self._clear_leftovers()
            for path in self._our_controllers():
                _remove_controller(path)
            if self.module.exists():
                # Out of the mgr's sight in one step, then file by file.
                self._staging.mkdir()
                shutil.move(self.module, self._staging / "perf_bench")
                self._clear_leftovers()
            return found

    def differences(self, payload: Optional[Payload] = None) -> list[Difference]:
        """What is not as the payload has it; without one, as the installed manifest has it."""
        sums = payload.sums if payload else (self.manifest or {"files": {}})["files"]
        found = [*_differences(self.module, sums), *self._controller_differences(sums)]
        if payload and self.is_installed and (self.manifest or {}).get("build") != payload.build:
            found.append(Difference(self.module / MANIFEST, "changed"))
        found += [Difference(path, "left over") for path in self._leftovers()]
        return found

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait for another installation here; files can be read by all, whatever the umask."""
        folder = os.open(self.modules, os.O_RDONLY | os.O_DIRECTORY)
        before = os.umask(0o022)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)  # it ends with the process, too
            yield
        finally:
            os.umask(before)
            os.close(folder)

    def _beside(self, name: str) -> Path:
        """Where a controller is written before it is renamed."""
        return self._controllers / f".{name}.new"

    def _controller_differences(self, sums: Mapping[str, str]) -> Iterator[Difference]:
        wanted = {
            name[len(CONTROLLERS) :]: total
            for name, total in sums.items()
            if name.startswith(CONTROLLERS) and self.has_dashboard
        }
        for name, total in wanted.items():
            yield from _difference(self._controllers / name, total)
        for path in self._our_controllers():
            if path.name not in wanted:
                yield Difference(path, "unknown")

    def _is_ours(self) -> bool:
        """Also half of it, where an installation was interrupted."""
        return self.manifest is not None or self._staging.exists()

    def _our_controllers(self) -> list[Path]:
        return sorted(path for pattern in _OURS for path in self._controllers.glob(pattern))

    def _is_our_controller(self, path: Path) -> bool:
        return path.exists() and MARK in path.read_bytes().partition(b"\n")[0]

    def _leftovers(self) -> list[Path]:
        temporary = [path for name in _OURS for path in self._controllers.glob(f".{name}.new")]
        return [path for path in (self._staging, *temporary) if os.path.lexists(path)]

    def _clear_leftovers(self) -> None:
        """Remove what was written beside, or moved away."""
        for path in self._leftovers():
            whole = path.is_dir() and not path.is_symlink()
            shutil.rmtree(path) if whole else path.unlink()


def find(named: Optional[Path], configured: str) -> Host:
    """The host's folder of mgr modules: the named one, else what Ceph is configured with.

    Raises NotFound.
    """
    modules = named or Path(configured or "/usr/share/ceph/mgr")
    if not modules.is_dir():
        raise NotFound(
            f"there is no folder {modules} with the modules of a mgr: install ceph-mgr first, or "
            "name the folder with --mgr-modules; for mgrs in containers see "
            "'ceph-perf-bench service --help'"
        )
    return Host(modules)


@contextlib.contextmanager
def sentences() -> Iterator[None]:
    """Turn an OSError into a PerfBenchError that says what to do."""
    try:
        yield
    except OSError as error:
        raise PerfBenchError(_sentence(error)) from error


def _sentence(error: OSError) -> str:
    """What is wrong with which file; not every error has a number, or the name of a file."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        source, _, why = error.args[0][0]  # of a whole folder: the first of those that failed
        return f"cannot copy {source}: {why}"
    cause = _CAUSES.get(error.errno or 0, error.strerror.lower() if error.strerror else str(error))
    return cause if error.filename is None else f"cannot access {error.filename}: {cause}"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Root may write for the folder's owner here: what waits at that name may be a link.
        with path.open("xb") as file:
            file.write(content)
    except OSError as error:  # a full disk is told without the file's name
        raise OSError(error.errno, error.strerror, str(path)) from error


def _differences(folder: Path, sums: Mapping[str, str]) -> Iterator[Difference]:
    for name, total in sums.items():
        yield from _difference(folder / name, total)
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            if path.stat().st_mode & 0o555 != 0o555:
                yield Difference(path, "unreadable for ceph-mgr")
        elif "__pycache__" not in path.parts:
            name = path.relative_to(folder).as_posix()
            if name not in sums and name != MANIFEST:
                yield Difference(path, "unknown")


def _difference(path: Path, total: str) -> Iterator[Difference]:
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) or checksum(path.read_bytes()) != total:
            yield Difference(path, "changed")
        elif mode & 0o444 != 0o444:
            yield Difference(path, "unreadable for ceph-mgr")
    except OSError:
        yield Difference(path, "missing")


def _remove_controller(path: Path) -> None:
    path.unlink()
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
