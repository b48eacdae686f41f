"""Find what dead processes left unfinished; finish it if possible, else report it.

- ``pending_writes``: finishes single writes; ``change_sets`` finishes sets.
- ``unfinished``: the errors for what can't be finished now.
- ``temporary_files``: temporary files, found by the ticket of their write.
"""
