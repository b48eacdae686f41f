"""Change sets: several files written as one, by a record that says how far that got; and undone.

Implements docs/design/engine.md §5 "Change sets", upon the write of one script around it. Public:
``change_store`` (``ChangeStore``) and ``file_change`` (``FileChange``).
"""
