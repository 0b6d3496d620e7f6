"""Both journeys: rounds and samples in SQLite (inside RADOS), and a twin of it in memory."""
