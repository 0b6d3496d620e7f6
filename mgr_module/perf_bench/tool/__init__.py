"""The host tool ``ceph-perf-bench``: what must happen outside ceph-mgr. Standard library only."""
