"""Pure: what OSDs answer about their operations → where the time goes, and who waits for whom."""
