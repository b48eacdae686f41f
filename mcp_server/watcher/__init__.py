"""Changes of scripts that this product didn't make: seen, recorded, undoable.

Imports the engine's storage and ``news``. ``watcher``: the thread that does it. ``script_looks``:
what a script holds now, against ``known_texts``; ``read_texts`` learns and forgets what was read.
``script_files``: which scripts there are.
``events``: what the file system reports; ``settling``: when files are at rest (pure);
``git_signs``: whether git is at work, and what it wrote. ``noted_texts``: what a hook read before
a client's write. ``outside_change``: the values, and those of a moment ago
that nobody is known to have made.
"""
