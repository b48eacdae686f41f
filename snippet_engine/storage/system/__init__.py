"""File system access that works alike on every system: locks, links, names, renames, durability.

Implements docs/design/systems.md. Knows no project, and nothing of the rest of ``storage``.

- ``folder``: an open folder; ``names``: names and paths.
- ``plain_file``, ``replace_file``, ``scratch_folder``, ``file_lock``: files, renames, locks.
- ``system_calls``, ``windows_files``: calls that Python's ``os`` doesn't offer.
"""
