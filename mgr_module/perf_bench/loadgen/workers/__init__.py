"""Clients on other hosts: the worker there, and the mgr's side that leads them, through RADOS."""
