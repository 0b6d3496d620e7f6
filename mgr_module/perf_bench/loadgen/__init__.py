"""Run clients that load the cluster: `rados bench`, on this host and on others."""
