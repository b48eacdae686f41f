"""A language server's process, and how nothing of it outlives this one."""
