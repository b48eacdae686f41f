"""A command's call of a tool: who makes it, what is told of its end, and how it is taken back."""
