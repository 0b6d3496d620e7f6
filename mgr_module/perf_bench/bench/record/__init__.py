"""Store samples as they come, and import results of other tools."""
