"""Known vulnerabilities of what the gate downloads, by pip-audit and npm audit.

Both fail for a package about which their registry has no answer. Where no registry answers,
AUDIT=offline says that nobody could be asked, and passes.
"""

from __future__ import annotations

import os
import subprocess

from toolchain.bootstrap import HERE, ROOT, Toolchain, ensure

SUPPLY = Toolchain(ROOT / "build" / "supply", HERE / "supply.lock")
FRONTEND = "dashboard_plugin/frontend"


def check() -> bool:
    """Ask about all lock files; False if there is a vulnerability, or no answer."""
    if os.environ.get("AUDIT") == "offline":
        print("AUDIT=offline: nobody was asked about known vulnerabilities")
        return True
    program = str(ensure(SUPPLY) / "pip-audit")
    pip = [program, "--require-hashes", "--disable-pip", "--strict", "--progress-spinner", "off"]
    locks = [*(ROOT / "qa").glob("*/*.lock"), *(ROOT / FRONTEND).glob("*.lock")]
    commands = [
        *([*pip, "--requirement", str(lock.relative_to(ROOT))] for lock in sorted(locks)),
        [f"{FRONTEND}/toolchain", "npm", "audit"],
    ]
    codes = [subprocess.run(one, cwd=ROOT, check=False).returncode for one in commands]
    return not any(codes)
