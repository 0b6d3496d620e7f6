"""One client that stays connected: an order takes milliseconds, `ceph` takes 350 each time.

It is a process in the cluster's own root, for the client library has to be the release's.
"""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
from typing import Any, Optional

from .daemons import environment
from .errors import ClusterError
from .namespaces import inside
from .processes import Process, end
from .spec import Spec

# A line in is [whom, words]; a line out is [code, stdout, stderr]. The library waits for ever for
# a mgr, or for monitors without a quorum, unless it is given a limit.
_CHILD = """
import json, sys, rados
client = rados.Rados(conffile=sys.argv[1], name="client.admin")
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
    """Connects with the first order, and anew after one that was not answered in time."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._child: Optional[subprocess.Popen[str]] = None

    def mon(self, prefix: str, **arguments: Any) -> Any:
        """The JSON that the monitors answer, None for nothing. Raises ClusterError."""
        return self._ask("mon", prefix, arguments)

    def mgr(self, prefix: str, **arguments: Any) -> Any:
        """The JSON that the active mgr answers, None for nothing. Raises ClusterError."""
        return self._ask("mgr", prefix, arguments)

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        process = Process.of(child.pid)
        if process is not None:
            end([process], grace=0)
        with child:  # closes the pipes
            child.wait()

    def _ask(self, whom: str, prefix: str, arguments: dict[str, Any]) -> Any:
        words = {"prefix": prefix, **arguments, "format": "json"}
        code, out, said = self._exchange(json.dumps([whom, words]), prefix)
        if code:
            raise ClusterError(f"'{prefix}' failed ({-code}): {said.strip()}")
        try:
            return json.loads(out) if out.strip() else None
        except ValueError:
            raise ClusterError(f"'{prefix}' did not answer in JSON: {out[:200]}") from None

    def _exchange(self, line: str, prefix: str) -> tuple[int, str, str]:
        child = self._connected()
        assert child.stdin is not None  # noqa: S101 - it was opened with pipes
        assert child.stdout is not None  # noqa: S101
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(line + "\n")
            child.stdin.flush()
            if select.select([child.stdout], [], [], _PATIENCE)[0]:
                answer = child.stdout.readline()
        if not answer:
            self.close()
            raise ClusterError(f"'{prefix}' gave no answer in {_PATIENCE:g} s, or no client ran")
        code, out, said = json.loads(answer)
        return int(code), str(out), str(said)

    def _connected(self) -> subprocess.Popen[str]:
        if self._child is None:
            conf = str(self._spec.conf)
            self._child = subprocess.Popen(
                inside(self._spec, ["python3", "-c", _CHILD, conf, str(_LIMIT)]),
                env=environment(self._spec),
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._child
