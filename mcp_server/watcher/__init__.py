"""Changes of scripts that this product didn't make: seen, recorded, undoable.

Imports the engine's storage and ``news``. ``watcher``: the thread that does it. ``script_looks``:
what a script holds now, against ``known_texts``; ``read_texts``: which scripts
there are, and what was read of them.
``events``: what the file system reports; ``settling``: when files are at rest (pure);
``git_signs``: whether git is at work, and what it wrote. ``outside_change``: the values; those of
a moment ago that nobody is known to have made; what a hook read before a client's write.
"""
