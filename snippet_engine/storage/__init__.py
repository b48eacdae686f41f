"""Files on disk: where a path leads, and writes that are atomic, undoable and crash-safe.

Implements docs/design/engine.md §5 and §6. Rooms, each importing only those after it: ``stores``,
``change_sets``, ``recovery``, ``records``, ``files``, ``paths``, the other modules, ``system``.

- ``files``: one file, written under a temporary name, then renamed into place.
- ``state_folder``: ``Library/SnippetEngine``, where the engine keeps its own files.
- ``os_failure``: an ``OSError`` as an error value, in words.
"""
