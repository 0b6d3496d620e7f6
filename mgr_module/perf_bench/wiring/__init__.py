"""All parts of the active module, made once and given to each other."""
