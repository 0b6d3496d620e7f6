"""A day of work on 60 OSDs."""
