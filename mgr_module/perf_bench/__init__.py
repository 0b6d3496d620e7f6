"""ceph-perf-bench: how fast each part of a Ceph cluster is, and which holds it back.

ceph-mgr imports this package and looks for ``Module`` and ``StandbyModule`` in it. The host
tool, the benchmarks and the tests import the same package where ceph-mgr's own Python modules
do not exist; only their absence is forgiven, any other failed import is an error.
"""

try:
    from .module import Module, StandbyModule

    __all__ = ["Module", "StandbyModule"]
except ModuleNotFoundError as missing:
    if missing.name not in ("mgr_module", "ceph_module"):
        raise
