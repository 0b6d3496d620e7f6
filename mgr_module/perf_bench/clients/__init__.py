"""Clients that load the cluster: `rados bench`, on the mgr's host and on workers."""
