"""Unity's YAML, read in place: every value knows its bytes, and changes leave all others.

May import nothing of the project. Reading is lazy: a value is looked into when asked for, so a
scene of many megabytes costs what is looked at.

- ``documents``: a file's documents (``--- !u!114 &1100``), with their ids.
- ``nodes``: mappings, sequences and scalars by their indentation, and what stands in ``{…}``.
- ``scalars``: limits; a scalar's text, and a text as a scalar, folded as Unity folds.
- ``edits``: replacements in a file's bytes.
"""
