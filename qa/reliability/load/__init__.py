"""Many REST requests and commands at once: the part `load`."""
