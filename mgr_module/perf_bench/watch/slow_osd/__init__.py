"""Finds OSDs, hosts, enclosures and racks that are slow against their peers."""
