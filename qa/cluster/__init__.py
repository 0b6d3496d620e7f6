"""Throwaway Ceph clusters of real daemons: docs/devcluster.md. Tests take `api.DevCluster`."""
