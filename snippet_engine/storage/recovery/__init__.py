"""What dead processes left unfinished: found, ended if possible, else reported.

- ``pending_writes``: ends single writes; sets are ended by ``change_sets``.
- ``unfinished``: the errors of what can't be ended now.
- ``temporary_files``: temporary files, found by the ticket of their write.
"""
