"""The only folder that knows ceph-mgr: its maps, commands, database and their differences.

Releases are told apart by the names they have, never by version numbers: distributions
backport. Each file says what differs where.
"""
