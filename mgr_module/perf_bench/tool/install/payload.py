"""What is installed: the files of the module with those of the tab, and their manifest.

In a wheel or a package the tab's files are in the folder ``tab`` of the module, and those for the
monitoring in ``tool/monitoring``; in a source tree they are taken from ``dashboard_plugin`` and
``docs/monitoring``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...version import MANIFEST, VERSION

PACKAGE = Path(__file__).resolve().parents[2]
CONTROLLERS, STATIC = "tab/controllers/", "tab/static/"
MONITORING = "tool/monitoring/"
_PACKED = {".css", ".js", ".json", ".svg"}
# Below this an answer is one packet anyway.
_WORTH_PACKING = 1024


@dataclass(frozen=True)
class Payload:
    """``files`` are by their place in the module's folder, without the manifest."""

    files: Mapping[str, bytes]
    # What owns the installed files: a package's name, empty for `ceph-perf-bench install`.
    origin: str = ""

    @cached_property
    def sums(self) -> dict[str, str]:
        """SHA-256 by file."""
        return {name: checksum(content) for name, content in sorted(self.files.items())}

    @cached_property
    def build(self) -> str:
        lines = "".join(f"{total} {name}\n" for name, total in self.sums.items())
        return f"{VERSION}+{checksum(lines.encode())[:12]}"

    @property
    def manifest(self) -> bytes:
        fields = {"format": 1, "build": self.build, "origin": self.origin, "files": self.sums}
        return (json.dumps(fields, indent=1) + "\n").encode()

    @property
    def controllers(self) -> dict[str, bytes]:
        """The files that the dashboard loads, by name."""
        return {
            name[len(CONTROLLERS) :]: content
            for name, content in self.files.items()
            if name.startswith(CONTROLLERS)
        }

    @property
    def has_pages(self) -> bool:
        return f"{STATIC}manifest.json" in self.files


def checksum(content: bytes) -> str:
    """SHA-256, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def load(package: Path = PACKAGE, origin: str = "") -> Payload:
    """The payload of a module's folder. Raises OSError."""
    files = {name: path.read_bytes() for name, path in _files(package) if name != MANIFEST}
    if not (package / "tab").is_dir():
        files.update(_tab(package.parents[1] / "dashboard_plugin"))
        named = monitoring_files(package).items()
        files.update({f"{MONITORING}{name}": content for name, content in named})
    return Payload(files, origin)


def monitoring_files(package: Path = PACKAGE) -> dict[str, bytes]:
    """The files for Prometheus, Grafana and Alertmanager by name. Raises OSError."""
    folder = package / MONITORING
    if not folder.is_dir():
        folder = package.parents[1] / "docs" / "monitoring"
    if not folder.is_dir():
        return {}
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in (".json", ".yml")]
    return {path.name: path.read_bytes() for path in paths}


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path


def _tab(plugin: Path) -> dict[str, bytes]:
    """The tab's files of a source tree, with packed ones beside the large."""
    files = {f"{CONTROLLERS}{path.name}": path for path in sorted(plugin.glob("backend/*.py"))}
    for ending in ("css", "js", "html"):
        files.update({f"{STATIC}{path.name}": path for path in plugin.glob(f"entry/*.{ending}")})
    files.update({f"{STATIC}{name}": path for name, path in _files(plugin / "frontend" / "dist")})
    contents = {name: path.read_bytes() for name, path in files.items()}
    for name, path in files.items():
        packable = path.suffix in _PACKED and len(contents[name]) > _WORTH_PACKING
        if packable and name.startswith(STATIC) and f"{name}.gz" not in files:
            contents[f"{name}.gz"] = gzip.compress(contents[name], mtime=0)
    return contents
