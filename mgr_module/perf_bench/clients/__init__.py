"""The clients of a round: real ``rados bench`` processes, and what they print.

Beside a mgr and on the hosts of workers alike; so it knows nothing of ceph-mgr.
"""
