"""Files on disk: where a path leads, and writes that are atomic, undoable and crash-safe.

Implements docs/design/engine.md §5 and §6. Rooms, each importing only those after it: ``stores``,
``change_sets``, ``recovery``, ``records``, ``files``, ``paths``, then these modules, then
``system``.

- ``state_folder``: ``Library/SnippetEngine``, where the engine keeps its own files.
- ``second_names``: a second name for each history entry, in case ``Library`` is deleted.
- ``os_failure``: an ``OSError`` as an error value, in words.
"""
