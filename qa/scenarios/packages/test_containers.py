"""For containers: the specification as each release's own code reads it, and the image's steps."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.modules import OURS
from cluster.namespaces import REPO
from perf_bench.tool.install import payload
from perf_bench.tool.service import MOUNTED
from scenarios.packages.conftest import CleanRoot

pytestmark = [pytest.mark.cluster, pytest.mark.long]
PRESENT = [{"service_type": "mgr", "service_name": "mgr", "placement": {"count": 2}}]
READ = """
import yaml
from ceph.deployment.service_spec import ServiceSpec
spec = ServiceSpec.from_json(yaml.safe_load(open("/debs/mgr.yaml")))
spec.validate()
print(spec.service_type, spec.placement.count)
args = [getattr(one, "argument", one) for one in spec.extra_container_args]
print(*args, sep="\\n")
"""


def test_the_release_takes_the_specification(clean_root: CleanRoot, tmp_path: Path) -> None:
    client = tmp_path / "ceph"
    client.write_text(f"#!/bin/sh\necho '{json.dumps(PRESENT)}'\n")
    client.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-B", "-m", "perf_bench.tool", "--ceph", str(client),
         "service", "cephadm", "--install"],
        cwd="/", env={**os.environ, "PYTHONPATH": str(OURS.parent)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (clean_root.debs / "mgr.yaml").write_text(done.stdout)
    (clean_root.debs / "read.py").write_text(READ)
    said = clean_root.runs("python3 /debs/read.py").splitlines()
    assert said[0].split() == ["mgr", "2"]
    assert said.count("-v") == 5
    # where the image has the folders, and the host what is mounted
    places = [line.split(":") for line in said if line.startswith(f"{MOUNTED}/")]
    assert [place[2] for place in places] == ["ro"] * 5
    folders = sorted({str(Path(place[1]).parent) for place in places})
    clean_root.runs("\n".join(f"test -d {folder}" for folder in folders))
    assert {place[0][len(MOUNTED) + 1 :] for place in places} == {
        "perf_bench",
        *(f"perf_bench/{payload.CONTROLLERS}{name}" for name in payload.load().controllers),
    }


def test_the_steps_of_the_image(clean_root: CleanRoot) -> None:
    text = (REPO / "qa" / "packaging" / "Containerfile").read_text()
    (step,) = re.findall(r"^RUN ((?:.*\\\n)*.*)", text, re.MULTILINE)
    lib = clean_root.debs / "wheel"
    for name, content in payload.load().files.items():
        path = lib / "perf_bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    wheel = clean_root.debs / "ceph_perf_bench-0-py3-none-any.whl"
    command = [sys.executable, "-m", "zipfile", "-c", str(wheel), "perf_bench/"]
    subprocess.run(command, cwd=lib, check=True)
    said = clean_root.runs(f"""
        umask 077
        mkdir /tmp/perf-bench
        cp /debs/{wheel.name} /tmp/perf-bench/
        {step}
        ls /usr/share/ceph/mgr/dashboard/controllers/perf_bench.py
        test ! -e /tmp/perf-bench
    """)
    assert "every file as installed\n" in said
