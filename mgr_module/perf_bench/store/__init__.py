"""Both journeys: rounds, samples and what the watch sees, in SQLite inside RADOS."""
