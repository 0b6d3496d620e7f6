"""What an operator does and sees, on a real cluster."""
