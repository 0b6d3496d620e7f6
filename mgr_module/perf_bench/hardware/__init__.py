"""What hosts tell of drives, enclosures, paths and checksums."""
