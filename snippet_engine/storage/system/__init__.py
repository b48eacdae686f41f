"""The system's files, as every other room sees them: locks, links, names, renames, durability.

What Linux, macOS and Windows do differently is here (docs/design/systems.md). Knows no project, and
nothing of the rest of ``storage``.
"""
