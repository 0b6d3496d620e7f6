"""Throwaway Ceph clusters of real daemons on one machine: see docs/devcluster.md."""

from .api import DevCluster
from .errors import ClusterError, UsageError

__all__ = ["ClusterError", "DevCluster", "UsageError"]
