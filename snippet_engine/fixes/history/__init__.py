"""Read from earlier versions of a script where an edit belongs, and whether it was applied.

``track_position``: where an earlier text is now. ``known_edits``: whether earlier versions show
that an edit was applied, and what an old edit would undo.
"""
