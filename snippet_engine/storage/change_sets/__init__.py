"""Change sets: several files written as one, by a record that says how far the write got.

Implements docs/design/engine.md §5 "Change sets".

- ``change_plan``: compares every file and says what is written where.
- ``change_slots``: one file of a set, changed and changed back.
- ``open_change``: a set whose folders are held open, and what became of it.
- ``change_journal``: sets under way, from their commit to their end, forward or back.
- ``change_records``: finds the records of sets under way.
- ``meta_files``: the ``.meta`` files that go with scripts and folders.
"""
