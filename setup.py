"""Builds the wheel `ceph-perf-bench`; every word about it stands in pyproject.toml."""

from setuptools import setup

setup()
