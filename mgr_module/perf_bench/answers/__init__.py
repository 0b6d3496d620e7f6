"""The answers that users get, one frozen class each; JSON and its schema come from these."""
