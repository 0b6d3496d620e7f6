"""Roles of the dashboard: Ceph's own on 16, 18 and 20, and three of one's own.

Of Ceph's own those scopes are here that the tab's rights are of (``services/access_control.py``,
the same on the three releases but for ``smb-manager``, which 20 has).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Role = Mapping[str, Sequence[str]]

_ALL = ("create", "delete", "read", "update")
ADMINISTRATOR: Role = {"osd": _ALL, "pool": _ALL, "config-opt": _ALL}
READ_ONLY: Role = {"osd": ("read",), "pool": ("read",)}
BUILT_IN: Mapping[str, Role] = {
    "administrator": ADMINISTRATOR,
    "read-only": READ_ONLY,
    "block-manager": {"pool": ("read",)},
    "rgw-manager": {},
    "cluster-manager": {"osd": _ALL, "config-opt": _ALL},
    "pool-manager": {"pool": _ALL},
    "cephfs-manager": {},
    "ganesha-manager": {},
    "smb-manager": {},
}
OWN: Mapping[str, Role] = {
    # starts and ends rounds, deletes none, changes no settings
    "starter": {"osd": ("create", "read")},
    # removes what is old; may change settings and pools, but has nothing to start with
    "cleaner": {
        "osd": ("delete", "read", "update"),
        "pool": ("create", "update"),
        "config-opt": ("read", "update"),
    },
    # loads pools and sets capacities
    "loader": {
        "osd": ("create", "read"),
        "pool": ("create", "update"),
        "config-opt": ("update",),
    },
}
ROLES: Mapping[str, Role] = {**BUILT_IN, **OWN}
