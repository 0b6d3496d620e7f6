#!/usr/bin/env python3
"""Put the tab into a dashboard, or take it out again; no packaged file is changed.

    install.py --mgr-modules /usr/share/ceph/mgr [--uninstall]

Done on every host with a mgr; the dashboard shows it when it is enabled anew. It may be done
again at any time. The standard library only, Python 3.9 or newer.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
BACKEND, ENTRY, DIST = HERE / "backend", HERE / "entry", HERE / "frontend" / "dist"
STATIC = "perf_bench_static"
_CONTROLLERS = ("perf_bench*.py", "_perf_bench*.py")
_ENTRY = ("*.css", "*.js", "*.html")
_PACKED = {".css", ".js", ".json", ".svg"}
# Below this an answer is one packet anyway.
_WORTH_PACKING = 1024
SHOW = "ceph mgr module disable dashboard && ceph mgr module enable dashboard"


class Fault(Exception):
    """What stands in the way, in one sentence."""


def install(mgr_modules: Path) -> list[str]:
    """Bring the tab into the dashboard of this folder; answers what there is to say.

    Raises Fault when there is no dashboard, OSError when it cannot be written.
    """
    dashboard = _dashboard(mgr_modules)
    sources = dict(_static_files())
    _write_all(dashboard / STATIC, sources)
    controllers = dashboard / "controllers"
    wanted = {source.name: source for source in sorted(BACKEND.glob("*.py"))}
    for name, source in wanted.items():
        _write(controllers / name, source.read_bytes())
    for stale in _installed(controllers):
        if stale.name not in wanted:
            stale.unlink()
    said = [f"the tab is in {dashboard}; to show it: {SHOW}"]
    if not DIST.is_dir():
        said.append(
            f"its pages are not: {DIST.relative_to(HERE.parent)} has not been built, "
            "so the entry leads to a page that says so"
        )
    return said


def uninstall(mgr_modules: Path) -> list[str]:
    """Take everything of the tab out of the dashboard again; it need not be whole."""
    dashboard = _dashboard(mgr_modules)
    for controller in _installed(dashboard / "controllers"):
        controller.unlink()
        for compiled in (controller.parent / "__pycache__").glob(f"{controller.stem}.*.pyc"):
            compiled.unlink()
    if (dashboard / STATIC).is_dir():
        shutil.rmtree(dashboard / STATIC)
    return [f"the tab is out of {dashboard}; to be rid of it: {SHOW}"]


def _dashboard(mgr_modules: Path) -> Path:
    dashboard = mgr_modules / "dashboard"
    if not (dashboard / "controllers" / "home.py").is_file():
        raise Fault(
            f"there is no dashboard in {mgr_modules}: install ceph-mgr-dashboard, or name "
            "the folder of the mgr's modules (ceph-conf --name mgr --show-config-value "
            "mgr_module_path)"
        )
    return dashboard


def _installed(controllers: Path) -> list[Path]:
    return [path for pattern in _CONTROLLERS for path in controllers.glob(pattern)]


def _static_files() -> Iterator[tuple[str, Path]]:
    """What the browser gets: by its place below the static folder, the file it comes from."""
    for pattern in _ENTRY:
        for source in ENTRY.glob(pattern):
            yield source.name, source
    for source in DIST.rglob("*"):
        if source.is_file():
            yield source.relative_to(DIST).as_posix(), source


def _write_all(folder: Path, sources: dict[str, Path]) -> None:
    """Make the folder hold these files, packed ones beside the large, and nothing else."""
    wanted = set()
    # The manifest last: what it names is there when it is read.
    for name in sorted(sources, key=lambda name: (name == "manifest.json", name)):
        content = sources[name].read_bytes()
        wanted.add(_write(folder / name, content))
        packable = sources[name].suffix in _PACKED and len(content) > _WORTH_PACKING
        if packable and f"{name}.gz" not in sources:
            packed = gzip.compress(content, mtime=0)
            wanted.add(_write(folder / f"{name}.gz", packed))
    for path in folder.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def _write(path: Path, content: bytes) -> Path:
    """Write in one step: a dashboard that reads at this moment gets the old file or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A link would not be loaded as a controller, and what it points to is not ours.
    if path.is_symlink() or not path.is_file() or path.read_bytes() != content:
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_bytes(content)
        new.chmod(0o644)
        new.replace(path)
    return path


def main(arguments: list[str] | None = None) -> int:
    """The command line; answers the exit code."""
    parser = argparse.ArgumentParser(description="The perf_bench tab in a Ceph dashboard.")
    parser.add_argument("--mgr-modules", required=True, type=Path, metavar="DIR")
    parser.add_argument("--uninstall", action="store_true")
    args = parser.parse_args(arguments)
    try:
        said = (uninstall if args.uninstall else install)(args.mgr_modules)
    except (Fault, OSError) as error:
        print(f"install.py: {error}", file=sys.stderr)  # noqa: T201 - a command line
        return 1
    print("\n".join(said))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
