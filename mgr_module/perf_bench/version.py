"""The one place that says which version this is; setup.py reads it too."""

import json
from pathlib import Path

VERSION = "1.0.0"
# Written into the module's folder by the installer: what was installed, with checksums.
MANIFEST = "installed.json"


def build() -> str:
    """Version and fingerprint of the installed files, as 1.0.0+3f2a90c1d2e4.

    The version alone where the module was not installed (a source tree, an image).
    """
    try:
        text = Path(__file__).with_name(MANIFEST).read_text(encoding="utf-8")
        return str(json.loads(text)["build"])
    except (OSError, ValueError, KeyError, TypeError):
        return VERSION
