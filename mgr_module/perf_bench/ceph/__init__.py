"""Implementations of the ports on a ceph-mgr: maps, commands, database.

Differences between releases are found by the names that exist, never by version numbers, because
distributions backport. Each file says what differs between releases.
"""
