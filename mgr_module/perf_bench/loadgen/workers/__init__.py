"""Clients on other hosts: the worker process and the mgr's coordinator, connected by RADOS."""
