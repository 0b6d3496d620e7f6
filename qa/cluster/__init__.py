"""Throwaway Ceph clusters of real daemons on one machine: docs/devcluster.md; `api.DevCluster` for tests."""
