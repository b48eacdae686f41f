"""Find the unfinished writes of dead processes; finish them if possible, else report them.

- ``pending_writes``: finishes single writes; ``change_sets`` finishes sets.
- ``unfinished``: the errors for writes that can't be finished now.
- ``temporary_files``: temporary files, found by the ticket of their write.
"""
