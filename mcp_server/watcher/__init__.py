"""See changes of scripts that this product didn't make, and record them so that they can be undone.

Imports the engine's storage and ``news``. ``watcher``: the thread that does it. ``script_looks``
compares scripts with their ``known_texts``, and records changes. ``read_texts`` finds the scripts,
and keeps what was read of them. ``events``: the file system's events. ``settling``: which changed
files are at rest (pure). ``git_signs``: whether git is at work, and which files it wrote.
``outside_change``: the changes as values, and the texts that hooks read before agents wrote.
"""
