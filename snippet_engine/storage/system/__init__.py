"""The system's files: locks, links, names, renames, durability, alike on every system.

Implements docs/design/systems.md. Knows no project, and nothing of the rest of ``storage``.

- ``folder``: a folder held open; ``folders_in_place``: the same on Windows.
- ``plain_file``, ``replace_file``, ``scratch_folder``, ``file_lock``: files, renames, locks.
- ``links``, ``true_names``, ``portable_names``, ``long_paths``: names and paths.
- ``system_calls``, ``windows_files``: what Python's ``os`` doesn't offer.
"""
