"""File system access that works alike on every system: locks, links, names, renames, durability.

Implements docs/design/systems.md. Knows no project, and nothing of the rest of ``storage``.

- ``folder``: an open folder; ``folders_in_place``: the same on Windows.
- ``plain_file``, ``replace_file``, ``scratch_folder``, ``file_lock``: files, renames, locks.
- ``open_files``: room for many open files.
- ``links``, ``true_names``, ``portable_names``, ``long_paths``: names and paths.
- ``system_calls``, ``windows_files``: calls that Python's ``os`` doesn't offer.
"""
