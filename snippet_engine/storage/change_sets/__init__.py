"""Change sets: several files written as one, with a record of the write's progress.

Implements docs/design/engine.md §5 "Change sets".

- ``change_plan``: compares every file and lists the writes.
- ``change_slots``: changes one file of a set, or changes it back.
- ``open_change``: a set whose folders are open, and its outcome.
- ``change_journal``: sets in progress, from commit to completion or rollback.
- ``change_records``: finds the records of sets in progress.
- ``meta_files``: the ``.meta`` files that go with scripts and folders.
"""
