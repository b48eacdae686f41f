"""The record of every write: to finish it after a crash, to undo it, and to list it.

- ``write_record``: one write of one script; ``change_record``: a change set.
- ``history``: the entries of finished writes, bounded; ``history_entry``: their names.
- ``undo_order``: the undos that come first, and why an undo is refused.
"""
