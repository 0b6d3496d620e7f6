"""Laggy placement groups: episodes, and the OSDs that cause them."""
