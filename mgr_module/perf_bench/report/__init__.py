"""Both journeys, the last stage: what users see, as JSON, tables and files. Pure."""
