"""Another OSD under the ID of one that was, as operators make it when a drive has failed."""

from __future__ import annotations

import shutil
import uuid

from . import client, conf, daemons, healing
from .records import alone
from .spec import Spec


def make_osd(spec: Spec, osd: str, its_uuid: str) -> None:
    """Make an OSD's store; the monitors know the uuid already."""
    mkfs = ["ceph-osd", "--mkfs", "--id", osd[4:], "--osd-uuid", its_uuid, "--no-mon-config"]
    daemons.run_tool(spec, mkfs)


def replace(spec: Spec, osd: str) -> None:
    """Destroy an OSD and make another one with its ID and an empty store; returns when it is up."""
    folder, number, its_uuid = spec.dir / osd, osd[4:], str(uuid.uuid4())
    with alone(spec):
        daemons.stop(spec, osd, grace=10)
        keyring = (folder / "keyring").read_text(encoding="utf-8")
        key = keyring.rpartition("key = ")[2].split()[0]
        destroy = f"osd destroy {number} --yes-i-really-mean-it"
        client.session(spec, [f"osd down {number}", destroy, f"osd new {its_uuid} {number}"])
        # `destroy` takes the key away, too.
        known = conf.render_key(osd, key, caps=True)
        client.run(spec, ["ceph", "auth", "import", "-i", "-"], stdin=known)
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != "keyring":
                path.unlink()
        make_osd(spec, osd, its_uuid)
        daemons.start(spec, osd)
    healing.wait_back(spec, [osd], {})
