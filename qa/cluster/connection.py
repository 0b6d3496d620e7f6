"""The commands of monitors and mgr as JSON, in milliseconds, without the `ceph` program."""

from __future__ import annotations

import json
from typing import Any

from .errors import ClusterError
from .resident import Ended, Resident, Silent
from .spec import Spec

# An order is [whom, words], an answer is [code, stdout, stderr]. The library waits for ever for a
# mgr, or for monitors without a quorum, unless it is given a limit.
_CHILD = """
import json, sys, rados
client = rados.Rados(conffile=sys.argv[1], name=sys.argv[3])
client.conf_set("rados_mon_op_timeout", sys.argv[2])
client.connect(timeout=int(sys.argv[2]))
for line in sys.stdin:
    whom, words = json.loads(line)
    order = client.mgr_command if whom == "mgr" else client.mon_command
    try:
        code, out, said = order(json.dumps(words), b"")
    except Exception as error:
        code, out, said = -(getattr(error, "errno", None) or 5), b"", str(error)
    print(json.dumps([code, out.decode(errors="replace"), said]), flush=True)
"""
_LIMIT = 10
_PATIENCE = 2.0 * _LIMIT


class Connection:
    """Connects with the first order, and anew after one that was not answered in time.

    All that is ordered may be ordered twice: Ceph 16's library dies now and then of SIGSEGV in
    `ms_dispatch` when the mgr changes, and then the order is given once more.
    """

    def __init__(self, spec: Spec, name: str = "client.admin") -> None:
        """``name`` is who gives the orders, as "mgr.x"."""
        self._client = Resident(spec, _CHILD, str(spec.conf), str(_LIMIT), name)

    def mon(self, prefix: str, **arguments: Any) -> Any:
        """The JSON that the monitors answer, None for nothing. Raises ClusterError."""
        return self._ask("mon", prefix, arguments)

    def mgr(self, prefix: str, **arguments: Any) -> Any:
        """The JSON that the active mgr answers, None for nothing. Raises ClusterError."""
        return self._ask("mgr", prefix, arguments)

    def close(self) -> None:
        self._client.close()

    def _ask(self, whom: str, prefix: str, arguments: dict[str, Any]) -> Any:
        return self._answer(whom, {"prefix": prefix, **arguments, "format": "json"}, prefix)

    def _answer(self, whom: str, words: Any, prefix: str) -> Any:
        try:
            try:
                code, out, said = self._client.ask([whom, words], _PATIENCE)
            except Ended:
                code, out, said = self._client.ask([whom, words], _PATIENCE)
        except Silent as silent:
            raise ClusterError(f"'{prefix}' gave {silent}") from None
        if code:
            raise ClusterError(f"'{prefix}' failed ({-code}): {said.strip()}")
        try:
            return json.loads(out) if out.strip() else None
        except ValueError:
            raise ClusterError(f"'{prefix}' did not answer in JSON: {out[:200]}") from None
