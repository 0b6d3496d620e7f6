"""OSDs, devices, hosts and racks that are slower than their peers."""
