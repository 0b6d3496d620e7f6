"""Bills of materials (CycloneDX) of what is given away: the wheel, and the bundle of the tab."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from toolchain.audit import FRONTEND, SUPPLY
from toolchain.bootstrap import ROOT, commit_time, ensure

OUT = ROOT / "dist"


def make(out: Path = OUT) -> bool:
    """Write both; the bundle has to be built before. False if a program fails."""
    out.mkdir(exist_ok=True)
    program = ensure(SUPPLY) / "cyclonedx-py"
    # The wheel needs no other package: what it lists is itself.
    command = [str(program), "requirements", "-", "--pyproject", "pyproject.toml"]
    own = out / "ceph-perf-bench.cdx.json"
    options = ["--output-format", "JSON", "--output-reproducible", "--output-file", str(own)]
    if subprocess.run([*command, *options], cwd=ROOT, input=b"", check=False).returncode:
        return False
    npm = [f"{FRONTEND}/toolchain", "npm", "sbom", "--sbom-format=cyclonedx"]
    done = subprocess.run(npm, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return False
    names = json.loads((ROOT / FRONTEND / ".cache" / "bundled.json").read_text(encoding="utf-8"))
    document = dated(bundled(json.loads(done.stdout), names), commit_time())
    (out / "ceph-perf-bench-tab.cdx.json").write_text(json.dumps(document, indent=2) + "\n")
    print(f"dist/: {own.name}, and {own.stem[:-4]}-tab.cdx.json with {len(names)} packages")
    return True


def bundled(document: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The bill with the packages that are really in the bundle.

    Raises ValueError if one of them is not in the bill.
    """
    by_name = {full_name(one): one for one in document["components"]}
    missing = sorted(set(names) - by_name.keys())
    if missing:
        raise ValueError(f"not in npm's bill of materials: {', '.join(missing)}")
    kept = [by_name[name] for name in names]
    refs = {document["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in kept)}
    edges = [
        {**one, "dependsOn": [ref for ref in one.get("dependsOn", []) if ref in refs]}
        for one in document.get("dependencies", [])
        if one["ref"] in refs
    ]
    return {**document, "components": kept, "dependencies": edges}


def dated(document: dict[str, Any], epoch: int) -> dict[str, Any]:
    """The bill as of that time and without a number by chance: the same commit, the same bill."""
    kept = {key: value for key, value in document.items() if key != "serialNumber"}
    time = datetime.fromtimestamp(epoch, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {**kept, "metadata": {**document["metadata"], "timestamp": time}}


def full_name(component: dict[str, Any]) -> str:
    """Npm's name of a component, with its scope."""
    group, name = component.get("group", ""), str(component["name"])
    return f"{group}/{name}" if group else name
