"""Builds the Debian packages with dpkg-deb. The same commit makes the same files."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

from perf_bench.tool.install.payload import load
from perf_bench.version import VERSION
from toolchain import docs
from toolchain.bootstrap import ROOT, Fault, commit_time

OUT = ROOT / "dist"
PACKAGING = ROOT / "qa" / "packaging"
MODULE, TOOL = "ceph-mgr-perf-bench", "ceph-perf-bench"
_MGR = "usr/share/ceph/mgr"
_SCRIPTS = ("preinst", "postinst", "prerm", "postrm", "triggers")
_UNITS = (
    "ceph-perf-bench-worker.service",
    "ceph-perf-bench-facts.service",
    "ceph-perf-bench-facts.timer",
    "ceph-perf-bench-report.service",
    "ceph-perf-bench-report.timer",
)
# What the packages say has changed: Debian's format, made from the version.
_CHANGELOG = """{name} ({version}) unstable; urgency=medium

  * See CHANGELOG.md of this version.

 -- {maintainer}  {date}
"""


def debs(out: Path = OUT) -> list[Path]:
    """Build the Debian packages of module and tool."""
    out.mkdir(exist_ok=True, parents=True)
    found = []
    for name, files in _packages().items():
        with tempfile.TemporaryDirectory() as made:
            root = Path(made) / name
            _stage(root, files)
            _control(root, name, files)
            file = out / f"{name}_{VERSION}_all.deb"
            command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(file)]
            _run(command)
        print(f"{file.name}: {file.stat().st_size >> 10} KiB, {len(files)} files")
        found.append(file)
    return found


def _packages() -> dict[str, dict[str, bytes]]:
    """By package its files, by place."""
    epoch = commit_time()
    return {
        name: {**files, **_documents(name, epoch)}
        for name, files in ((MODULE, _module_files()), (TOOL, {**_tool_files(), **_manuals()}))
    }


def _documents(name: str, epoch: int) -> dict[str, bytes]:
    changelog = _CHANGELOG.format(
        name=name, version=VERSION, maintainer=_maintainer(), date=_date(epoch)
    )
    return {
        f"usr/share/doc/{name}/copyright": (PACKAGING / "debian" / "copyright").read_bytes(),
        f"usr/share/doc/{name}/changelog.gz": gzip.compress(changelog.encode(), mtime=0),
    }


def _maintainer() -> str:
    """DEBFULLNAME and DEBEMAIL, as Debian's tools read them; else who made the newest commit."""
    mail, git = os.environ.get("DEBEMAIL"), ["git", "log", "-1", "--format=%an <%ae>"]
    if mail:
        return f"{os.environ.get('DEBFULLNAME', 'ceph-perf-bench')} <{mail}>"
    return subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _module_files() -> dict[str, bytes]:
    """By place the files of the module's package: those that the tool would install."""
    payload = load(origin=MODULE)
    return {
        **{f"{_MGR}/perf_bench/{name}": content for name, content in payload.files.items()},
        f"{_MGR}/perf_bench/installed.json": payload.manifest,
        **{
            f"{_MGR}/dashboard/controllers/{name}": content
            for name, content in payload.controllers.items()
        },
    }


def _tool_files() -> dict[str, bytes]:
    services = ROOT / "mgr_module" / "perf_bench" / "tool" / "services"
    units = {name: (services / name).read_text(encoding="utf-8") for name in _UNITS}
    return {
        **{
            f"usr/share/ceph-perf-bench/perf_bench/{name}": content
            for name, content in load().files.items()
        },
        "usr/bin/ceph-perf-bench": (PACKAGING / "ceph-perf-bench").read_bytes(),
        **{
            f"usr/lib/systemd/system/{name}": text.replace("/usr/local/bin/", "/usr/bin/").encode()
            for name, text in units.items()
        },
    }


def _manuals() -> dict[str, bytes]:
    """By place the manual pages, made of the documentation. Raises Fault."""
    with tempfile.TemporaryDirectory() as made:
        if not docs.build(Path(made), ("man",)):
            raise Fault("Sphinx made no manual pages.")
        return {
            f"usr/share/man/man8/{page.name}.gz": gzip.compress(page.read_bytes(), mtime=0)
            for page in sorted((Path(made) / "man").glob("*.8"))
        }


def _stage(root: Path, files: Mapping[str, bytes]) -> None:
    for place, content in files.items():
        _write(root / place, content, _mode(place))
    for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _mode(place: str) -> int:
    return 0o755 if place.startswith("usr/bin/") else 0o644


def _run(command: list[str]) -> None:
    """Run a program. Raises CalledProcessError with what it said on the terminal."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit_time())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr)
    done.check_returncode()


def _control(root: Path, name: str, files: Mapping[str, bytes]) -> None:
    """The package's own files: what it is, its scripts, checksums."""
    folder = PACKAGING / "debian"
    text = (folder / f"{name}.control").read_text(encoding="utf-8")
    size = sum(-(-len(content) // 1024) for content in files.values())
    for key, value in {"VERSION": VERSION, "MAINTAINER": _maintainer(), "SIZE": str(size)}.items():
        text = text.replace(f"@{key}@", value)
    sums = "".join(
        f"{hashlib.md5(content, usedforsecurity=False).hexdigest()}  {place}\n"
        for place, content in sorted(files.items())
    )
    _write(root / "DEBIAN" / "control", text.encode(), 0o644)
    (root / "DEBIAN").chmod(0o755)  # whatever the umask: dpkg-deb refuses a private one
    _write(root / "DEBIAN" / "md5sums", sums.encode(), 0o644)
    for script in _SCRIPTS:
        path = folder / f"{name}.{script}"
        if path.is_file():
            mode = 0o644 if script == "triggers" else 0o755
            _write(root / "DEBIAN" / script, _script(path).encode(), mode)


def _script(path: Path) -> str:
    common = (PACKAGING / "put-controllers-back").read_text(encoding="utf-8")
    return path.read_text(encoding="utf-8").replace("@PUT_CONTROLLERS_BACK@\n", common)


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def _date(epoch: int) -> str:
    return f"{datetime.fromtimestamp(epoch, tz=timezone.utc):%a, %d %b %Y %H:%M:%S +0000}"


if __name__ == "__main__":
    debs()
