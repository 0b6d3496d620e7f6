"""The log of the configuration."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from perf_bench.errors import CommandFailed
from perf_bench.model.finding import ConfigChange

# As the monitors of 16, 18 and 20 write it.
LOG = [
    {
        "version": 12,
        "timestamp": "2026-11-23T00:10:20.250000+0000",
        "name": "",
        "changes": [
            {"name": "osd/osd_max_backfills", "previous_value": "1", "new_value": "8"},
            {"name": "mgr/mgr/dashboard/GRAFANA_API_PASSWORD", "new_value": "hunter2"},
            {"name": "client.rgw/rgw_crypt_s3_kms_encryption_keys", "previous_value": "k=v"},
        ],
    },
    {"version": 11, "timestamp": "yesterday", "changes": []},
    {"version": 10},
    "nonsense",
    {"version": 9, "timestamp": "2026-11-22T00:00:00.000000+0000", "changes": [{}, 3]},
]


def test_an_option_with_a_secret_in_its_json_is_hidden_in_full(quick: None) -> None:
    from perf_bench.ceph.config_log import log_of

    clusters = '{"current_user": "admin", "config": {"2e87": {"token": "eyJ", "ttl": 0}}}'
    for before, after in ((None, clusters), (clusters, None), ('{"a": 1}', clusters)):
        change = {"name": "mgr/dashboard/MULTICLUSTER_CONFIG"}
        change |= {"previous_value": before} if before else {}
        change |= {"new_value": after} if after else {}
        entry = {"timestamp": "2026-11-23T00:10:20.250000+0000", "changes": [change]}
        (found,) = log_of([entry]).changes
        shown = [one for one in (found.before, found.after) if one is not None]
        assert set(shown) == {"…"}, shown
    plain = {"name": "a", "new_value": '{"used": 3, "keys": "secret"}'}
    entry = {"timestamp": "2026-11-23T00:10:20.250000+0000", "changes": [plain]}
    (found,) = log_of([entry]).changes
    assert found.after == '{"used": 3, "keys": "secret"}'


def test_what_a_log_in_to_the_dashboard_writes_is_no_change(quick: None) -> None:
    from perf_bench.ceph.config_log import log_of

    changes = [
        {"name": "mgr/mgr/dashboard/MULTICLUSTER_CONFIG", "new_value": '{"token": "eyJ"}'},
        {"name": "osd/osd_max_backfills", "new_value": "8"},
    ]
    entry = {"timestamp": "2026-11-23T00:10:20.250000+0000", "changes": changes}
    assert [one.name for one in log_of([entry]).changes] == ["osd/osd_max_backfills"]


def test_changes_of_the_configuration(quick: None) -> None:
    from perf_bench.ceph.config_log import log_of

    found = log_of(LOG).changes
    assert found[0] == ConfigChange(1795392620.25, "osd/osd_max_backfills", "1", "8")
    assert [(one.before, one.after) for one in found[1:]] == [(None, "…"), ("…", None)]
    with pytest.raises(CommandFailed):
        log_of({"not": "a list"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # docs.ceph.com, telemetry: "Include a colon-separated user and password"
        ("mgr/mgr/telemetry/proxy", "https://ceph:telemetry@10.0.0.1:8080"),
        (
            "client.rgw/rgw_crypt_s3_kms_encryption_keys",
            "testkey-1=YmluCmJvb3N0CmJvb3N0LWJ1aWxkCg==",
        ),
    ],
)
def test_no_secret_is_shown(quick: None, name: str, value: str) -> None:
    from perf_bench.ceph.config_log import log_of

    entry = {
        "timestamp": "2026-11-23T00:10:20.250000+0000",
        "changes": [{"name": name, "new_value": value}],
    }
    (found,) = log_of([entry]).changes
    assert found.after == "…"


@pytest.mark.parametrize(("count", "begins"), [(199, None), (200, None), (201, 1795305600.0)])
def test_since_when_the_changes_are_known(quick: None, count: int, begins: Optional[float]) -> None:
    """Hourly rounds, or log-ins to the dashboard, fill what is read within days."""
    from perf_bench.ceph.config_log import MonConfigLog

    name = "mgr/mgr/dashboard/MULTICLUSTER_CONFIG"
    log = [
        {
            "version": 1000 - number,
            "timestamp": f"2026-11-22T0{0 if number == 199 else 1}:00:00.000000+0000",
            "changes": [{"name": name, "new_value": "{}"}],
        }
        for number in range(count)
    ]
    mons: Any = SimpleNamespace(command_json=lambda _command, num: log[:num])
    assert MonConfigLog(mons, FakeClock()).read() == ([], begins)
