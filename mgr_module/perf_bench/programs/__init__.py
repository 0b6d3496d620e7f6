"""Processes of our own that run beside the mgr, where `mgr_module` does not exist."""
