"""What changed since the last build."""
