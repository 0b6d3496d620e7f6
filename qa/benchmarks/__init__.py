"""The project's own benchmarks (`make bench`): what perf_bench costs, and whether it is right.

They run on the Python and the libraries that this machine's own ceph-mgr has, because that is
where the module's code will run. See docs/benchmarks.md.
"""
