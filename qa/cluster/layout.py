"""The files in a new cluster's folder."""

from __future__ import annotations

from pathlib import Path

from . import conf, daemons, modules, releases
from .spec import Spec


def lay_out(spec: Spec) -> None:
    """Fill the folder with what the daemons start from."""
    for name in ("log", "crash", "stage", "faults", *spec.mgr_daemons, *spec.osd_names):
        (spec.dir / name).mkdir()
    spec.conf.write_text(conf.render(spec, releases.class_dir(spec)), encoding="utf-8")
    _lay_keys(spec)
    modules.make_module_path(spec)


def _lay_keys(spec: Spec) -> None:
    sample = daemons.run_tool(spec, ["ceph-authtool", "--gen-print-key"])
    owners = ("mon.", "client.admin", *spec.mgr_daemons, *spec.osd_names)
    keys = {owner: conf.new_key(sample) for owner in owners}
    # The mon takes all keys over when it is made, which spares a command for each.
    seed = "".join(conf.render_key(owner, key, caps=True) for owner, key in keys.items())
    write_secret(spec.dir / "seed.keyring", seed)
    for owner in owners[1:]:
        folder = spec.dir if owner == "client.admin" else spec.dir / owner
        write_secret(folder / "keyring", conf.render_key(owner, keys[owner], caps=False))


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner may read, from its first moment on."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
