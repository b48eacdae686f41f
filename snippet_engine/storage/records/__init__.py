"""What is kept of every write: to end it after a crash, to undo it, to list what was done.

Knows no change set's writing; :mod:`~snippet_engine.storage.recovery` and ``change_sets`` know it.
"""
