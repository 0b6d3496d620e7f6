"""Helper processes that run beside the mgr and cannot import `mgr_module`."""
