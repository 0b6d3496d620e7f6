"""What is tried often: parts of `make reliability`, each with its lines in the table."""
