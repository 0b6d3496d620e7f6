"""Ceph's own alerts, raised by real daemons, as `alert ls` explains them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.clients import POOL, remove_pool, writing
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster


@pytest.fixture(autouse=True, scope="module")
def clients(cluster: DevCluster) -> Iterator[None]:
    with writing(cluster):
        yield
    remove_pool(cluster, POOL)


@contextmanager
def _set(cluster: DevCluster, **options: str) -> Iterator[None]:
    """Options of all OSDs, unset afterwards."""
    for name, value in options.items():
        cluster.ceph("config", "set", "osd", name, value)
    try:
        yield
    finally:
        for name in options:
            cluster.ceph("config", "rm", "osd", name)


def _alert(operator: Operator, code: str) -> Optional[Any]:
    return next((one for one in operator.asks("alert", "ls") if one["code"] == code), None)


def _sees(operator: Operator, code: str, seconds: float = 90.0) -> Any:
    return operator.sees(f"the alert {code}", lambda: _alert(operator, code), seconds)


def _sees_it_gone(operator: Operator, code: str) -> None:
    operator.sees(f"no {code}", lambda: _alert(operator, code) is None, 120.0)


@pytest.mark.long
def test_slow_operations_are_explained_while_clients_wait(operator: Operator) -> None:
    # Not the default of 30 s: what is stopped for so long raises alerts that stay for longer.
    with _set(operator.cluster, osd_op_complaint_time="0.003"):
        found = _sees(operator, "SLOW_OPS")
        assert found["osds"]
        said = operator.types("alert", "ls").out
        assert "warning: SLOW_OPS" in said
        assert "clients hang" in " ".join(said.split())
    _sees_it_gone(operator, "SLOW_OPS")


@pytest.mark.long
def test_slow_operations_of_bluestore_are_told_by_osd(operator: Operator) -> None:
    """The alert that stays for a day after one operation of five seconds."""
    code = "BLUESTORE_SLOW_OP_ALERT"
    if operator.cluster.spec.carried == "pacific":
        pytest.skip("Pacific has no such alert")
    # Not the default of a day: it must be gone when the scenario ends.
    with _set(operator.cluster, bluestore_slow_ops_warn_lifetime="45"):
        operator.cluster.ceph("config", "set", "osd.2", "bluestore_log_op_age", "0.002")
        try:
            found = _sees(operator, code)
        finally:
            operator.cluster.ceph("config", "rm", "osd.2", "bluestore_log_op_age")
        assert found["osds"] == [2]
        assert "stays for a day" in found["meaning"]
        _sees_it_gone(operator, code)
