"""Known vulnerabilities of what the gate downloads, by pip-audit and npm audit.

A package about which nobody could be asked is no sound package: the audit fails then, too, unless
AUDIT=offline says that this machine's registries do not answer; what was not asked is told always.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from toolchain.bootstrap import HERE, ROOT, Toolchain, ensure

SUPPLY = Toolchain(ROOT / "build" / "supply", HERE / "supply.lock")
IGNORED = HERE / "audit.toml"
FRONTEND = "dashboard_plugin/frontend"
_NAMED = 5


@dataclass(frozen=True)
class Known:
    """A known vulnerability of a pinned package; ``ids`` are all of its names."""

    package: str
    version: str
    ids: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """What was asked about one lock file; ``unanswered`` are packages without an answer."""

    lock: str
    answered: int
    known: Sequence[Known]
    unanswered: Sequence[str] = ()
    why: str = ""


@dataclass(frozen=True)
class Ignore:
    """An entry of audit.toml."""

    id: str
    package: str
    reason: str
    expires: dt.date


def check() -> bool:
    """Ask about all lock files, print what was found; False if the audit fails."""
    ignores = read_ignores(IGNORED.read_text(encoding="utf-8"))
    program = ensure(SUPPLY) / "pip-audit"
    locks = sorted(
        str(path.relative_to(ROOT))
        for folder in (ROOT / "qa", ROOT / FRONTEND)
        for path in folder.glob("*.lock" if folder.name == "frontend" else "*/*.lock")
    )
    asked = [*(_pip(program, lock) for lock in locks), _npm()]
    offline = os.environ.get("AUDIT") == "offline"
    lines, good = verdict(asked, ignores, dt.date.today(), offline)  # noqa: DTZ011 - a day
    print("\n".join(lines))
    return good


def read_ignores(text: str) -> list[Ignore]:
    """The entries of audit.toml. Raises ValueError for one that lacks something."""
    found = []
    for entry in tomllib.loads(text).get("ignore", []):
        texts = [entry.get(name) for name in ("id", "package", "reason")]
        good = all(isinstance(one, str) and one.strip() for one in texts)
        if not good or type(entry.get("expires")) is not dt.date or len(entry) != 4:
            raise ValueError(f"audit.toml: an entry has id, package, reason, expires: {entry}")
        found.append(Ignore(**entry))
    return found


def verdict(
    asked: Sequence[Asked], ignores: Sequence[Ignore], today: dt.date, offline: bool
) -> tuple[list[str], bool]:
    """What to print, and whether the audit passes."""
    lines, faults, used = [], [], set()
    valid = {(one.id, one.package): one for one in ignores if today < one.expires}
    for one in asked:
        lines.append(f"{one.lock}: {one.answered} packages asked, {len(one.known)} vulnerabilities")
        for known in one.known:
            by = [valid[id_, known.package] for id_ in known.ids if (id_, known.package) in valid]
            used.update(by)
            if not by:
                names = ", ".join(sorted(known.ids))
                faults.append(f"{one.lock}: {known.package} {known.version} has {names}")
        if one.unanswered:
            some = ", ".join(one.unanswered[:_NAMED])
            more = len(one.unanswered) - _NAMED
            names = some + (f" and {more} more" if more > 0 else "")
            lines.append(f"  NOT ASKED: {names}: {one.why}")
    silent = any(one.unanswered for one in asked)
    if silent and not offline:
        faults.append("not all could be asked (AUDIT=offline lets this pass)")
    for entry in ignores:
        if today >= entry.expires:
            faults.append(f"audit.toml: the entry for {entry.id} is over since {entry.expires}")
        elif entry not in used and not silent:
            faults.append(f"audit.toml: nothing needs the entry for {entry.id} any more")
    return [*lines, *faults], not faults


def _pip(program: Path, lock: str) -> Asked:
    words = ["--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
    command = [str(program), "--requirement", lock, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return of_pip(lock, done.stdout, _last(done.stderr))


def of_pip(lock: str, out: str, error: str) -> Asked:
    """The answer of pip-audit."""
    try:
        packages = json.loads(out)["dependencies"]
    except (ValueError, KeyError):
        return Asked(lock, 0, (), (lock,), error)
    answered = [one for one in packages if "skip_reason" not in one]
    unanswered = [one for one in packages if "skip_reason" in one]
    known = [
        Known(one["name"], one["version"], frozenset([found["id"], *found.get("aliases", ())]))
        for one in answered
        for found in one["vulns"]
    ]
    # pip-audit's sentence names the registry.
    why = "the index has no answer about these versions" if unanswered else ""
    return Asked(lock, len(answered), known, [one["name"] for one in unanswered], why)


def _npm() -> Asked:
    command = [f"{FRONTEND}/toolchain", "npm", "audit", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    locked = json.loads((ROOT / FRONTEND / "package-lock.json").read_text(encoding="utf-8"))
    return of_npm(done.stdout, len(locked["packages"]) - 1)


def of_npm(out: str, packages: int) -> Asked:
    """The answer of npm audit about so many packages."""
    lock = f"{FRONTEND}/package-lock.json"
    try:
        found = json.loads(out)
    except ValueError:
        found = {}
    if "vulnerabilities" not in found:
        status = found.get("statusCode", "no answer")
        return Asked(lock, 0, (), (f"all {packages} packages",), f"npm's audit says {status}")
    return Asked(lock, packages, list(_advisories(found["vulnerabilities"])))


def _advisories(vulnerabilities: Mapping[str, Any]) -> Iterable[Known]:
    for name, one in vulnerabilities.items():
        for via in one["via"]:
            if isinstance(via, dict):  # a text names another package of the list
                id_ = str(via.get("url", "")).rpartition("/")[2] or str(via.get("source"))
                yield Known(name, str(one.get("range", "")), frozenset([id_]))


def _last(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "no word"
