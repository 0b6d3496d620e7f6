"""Requests that schemathesis makes from the dashboard's OpenAPI description, to our paths."""
