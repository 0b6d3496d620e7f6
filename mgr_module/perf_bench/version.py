"""The one place that says which version this is; setup.py reads it too."""

VERSION = "0.1.0"
