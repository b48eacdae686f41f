"""Unity's YAML, read in place: every value knows its bytes, and changes leave all others.

May import nothing of the project. Reading is lazy: a value is parsed at its first use, so a scene
of many megabytes costs only the parts that are used.

- ``documents``: a file's documents (``--- !u!114 &1100``), with their ids.
- ``nodes``: mappings, sequences and scalars by their indentation, and flow collections ``{…}``.
- ``scalars``: limits; a scalar's text, and a text as a scalar, folded as Unity folds.
- ``edits``: replacements in a file's bytes.
"""
