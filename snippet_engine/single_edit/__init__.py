"""One script's edit: planned on its text, judged, and reported.

- ``judging``: reads the script, plans the edit, lets a validator judge it.
- ``planned_edit``: a planned edit, and the result that it gives.
- ``new_errors``: finds the instruction that causes an error, and offers corrections.
- ``anchor_drift``: warns if an anchor matched another place before a later edit.
- ``foreign_text``: judges a text that another program writes to a script.
- ``versions``: texts of a script other than the text on disk.
"""
