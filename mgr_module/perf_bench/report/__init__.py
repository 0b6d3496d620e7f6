"""Pure: what users see, as JSON, text and files."""
