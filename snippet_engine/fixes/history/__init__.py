"""Read from earlier versions of a script where an edit belongs, and whether it was applied.

``track_position``: where an earlier text is now. ``request_already_applied``, ``known_edits``: whether earlier versions show that it was
applied, and what an old edit would undo.
"""
