"""Which scripts lie in the project, and which of them can't be read."""
