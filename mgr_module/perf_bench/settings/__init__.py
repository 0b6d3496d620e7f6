"""Change the cluster's settings: journal first, then set, check the effect, and undo.

``kinds`` reads and sets each kind of setting and checks its effect, ``journal`` records changes at
the monitors, ``undo`` puts them back. Rounds (``bench/run/quiesce``), the mClock capacities, the
restore helper and the host tool use this code.
"""
