"""What is kept of every write: to end it after a crash, to undo it, and to list it.

- ``write_record``: one write of one script; ``change_record``: a change set.
- ``history``: the entries of what was written, bounded; ``history_entry``: their names.
- ``undo_order``: what has to be undone first, and why an undo is refused.
"""
