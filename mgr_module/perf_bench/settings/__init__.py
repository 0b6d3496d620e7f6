"""Changes of the cluster's settings: written down before, checked by effect, undone after.

``kinds`` knows how each kind of setting is read, set and seen in effect, ``journal`` how changes
are written down at the monitors, ``undo`` how they are put back. Rounds (``run/quiesce``), the
mClock capacities, the restore helper and the host tool use the same code.
"""
