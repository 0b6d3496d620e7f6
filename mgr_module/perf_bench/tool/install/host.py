"""Puts the module and the tab's controllers into the folder of a host's mgr modules.

Everything new is written, synchronised and read back before the first rename, so that neither an
error nor a loss of power changes anything.
New files are written two levels deep: ceph-mgr takes every folder with a ``module.py`` for a
module, and ends at its start if it may not look into one.
"""

from __future__ import annotations

import contextlib
import ctypes
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
# Where installers before 0.1.0 put the pages; their controllers have no mark.
_FORMER_STATIC = "perf_bench_static"
_AT_CWD, _EXCHANGE = -100, 2
_FOLDER_MODE, _FILE_MODE = 0o755, 0o644
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
        """Put the files there, read them back, then exchange them for those before."""
        self.check_ours()
        with self._alone(), _usual_umask():
            self._clear_leftovers()
            new = self._staging / "perf_bench"
            temporary: dict[Path, Path] = {}
            try:
                owner = self.modules.stat()
                _make(self._staging, owner)
                for name, content in payload.files.items():
                    _write(new / name, content, owner, below=self._staging)
                _write(new / MANIFEST, payload.manifest, owner, below=self._staging)
                _verify(new, payload.sums)
                for name, content in self._wanted_controllers(payload).items():
                    path = self._controllers / name
                    temporary[path] = path.with_name(f".{name}.new")
                    _write(temporary[path], content, self._controllers.stat(), self._controllers)
                _settle(self._staging)
                _exchange(new, self.module, self._staging / "old")
                for path, written in temporary.items():
                    written.replace(path)
                for folder in {self.modules, *(path.parent for path in temporary)}:
                    _sync(folder)
            finally:
                for written in temporary.values():
                    written.unlink(missing_ok=True)
                if not self.module.exists() and (self._staging / "old").is_dir():
                    (self._staging / "old").rename(self.module)
                shutil.rmtree(self._staging, ignore_errors=True)
            for path in self._our_controllers():
                if path not in temporary:
                    _remove_controller(path)
            self._remove_former_static()

    def uninstall(self) -> bool:
        """Take everything away again; False if there was nothing."""
        self.check_ours()
        with self._alone(), _usual_umask():
            found = bool(self.module.exists() or self._our_controllers() or self._leftovers())
            for path in self._our_controllers():
                _remove_controller(path)
            self._remove_former_static()
            self._clear_leftovers()
            if self.module.exists():
                # Out of the mgr's sight in one step, then file by file.
                _make(self._staging, self.modules.stat())
                _move(self.module, self._staging / "perf_bench")
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
        """Wait for another installation here; the lock ends with the process that holds it."""
        folder = os.open(self.modules, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _wanted_controllers(self, payload: Payload) -> Mapping[str, bytes]:
        return payload.controllers if self.has_dashboard else {}

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
        return self.manifest is not None or (self.module / "tool" / "restore.py").is_file()

    def _our_controllers(self) -> list[Path]:
        return sorted(path for pattern in _OURS for path in self._controllers.glob(pattern))

    def _is_our_controller(self, path: Path) -> bool:
        if (self._controllers.parent / _FORMER_STATIC).is_dir():
            return True
        return path.exists() and MARK in path.read_bytes().partition(b"\n")[0]

    def _leftovers(self) -> list[Path]:
        temporary = [path for name in _OURS for path in self._controllers.glob(f".{name}.new")]
        former = self._controllers.parent / _FORMER_STATIC
        return [path for path in (self._staging, former, *temporary) if os.path.lexists(path)]

    def _clear_leftovers(self) -> None:
        """Of an installation that was interrupted."""
        if not self.module.exists() and (self._staging / "old").is_dir():
            (self._staging / "old").rename(self.module)
        for path in self._leftovers():
            if path.name != _FORMER_STATIC:
                whole = path.is_dir() and not path.is_symlink()
                shutil.rmtree(path) if whole else path.unlink()

    def _remove_former_static(self) -> None:
        former = self._controllers.parent / _FORMER_STATIC
        if former.is_dir():
            shutil.rmtree(former)


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


@contextlib.contextmanager
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def _make(folder: Path, owner: os.stat_result) -> None:
    folder.mkdir(_FOLDER_MODE)
    folder.chmod(_FOLDER_MODE)
    _give(folder, owner)


def _write(path: Path, content: bytes, owner: os.stat_result, below: Path) -> None:
    missing = [parent for parent in path.parents if below in parent.parents]
    for folder in reversed([parent for parent in missing if not parent.exists()]):
        _make(folder, owner)
    try:
        # Root may write for the folder's owner here: what waits at that name may be a link.
        with path.open("xb") as file:
            file.write(content)
        _sync(path)
    except OSError as error:  # a full disk is told without the file's name
        raise OSError(error.errno, error.strerror, str(path)) from error
    path.chmod(_FILE_MODE)
    _give(path, owner)


def _settle(folder: Path) -> None:
    """Make the names of all files below durable; their content is.

    Otherwise a host that loses its power after the exchange may come back with empty files.
    """
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            _sync(path)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:  # it knows the number only
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(number)


def _give(path: Path, owner: os.stat_result) -> None:
    if os.geteuid() == 0:
        os.chown(path, owner.st_uid, owner.st_gid)


def _verify(folder: Path, sums: Mapping[str, str]) -> None:
    """Raises PerfBenchError if a file that was written reads otherwise."""
    for problem in _differences(folder, sums):
        raise PerfBenchError(f"{problem} after it was written: nothing was installed")


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


def _exchange(new: Path, path: Path, aside: Path) -> None:
    """Put ``new`` in the place of ``path``, in one step where the file system can do that."""
    if not path.exists():
        new.rename(path)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    renameat2 = getattr(libc, "renameat2", None)
    if renameat2 is None or renameat2(
        _AT_CWD, os.fsencode(new), _AT_CWD, os.fsencode(path), _EXCHANGE
    ):
        _move(path, aside)
        new.rename(path)


def _move(path: Path, target: Path) -> None:
    """Rename a folder of ours; on an overlay, one of a lower layer can only be copied and removed.

    That is one of an image: in a container, or where an image is built from one that has it. The
    manifest goes last: what is left of an interrupted removal is still known to be ours.
    """
    try:
        path.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copytree(path, target, symlinks=True)
        try:
            for one in sorted(path.iterdir(), key=lambda child: child.name == MANIFEST):
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
            path.rmdir()
        except BaseException:  # also a signal: whoever goes on must not find half of it
            shutil.copytree(target, path, dirs_exist_ok=True)
            raise


def _remove_controller(path: Path) -> None:
    path.unlink()
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
