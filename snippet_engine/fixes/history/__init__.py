"""Use earlier versions of a script to find an edit's place, and to see if it was applied.

``track_position`` follows an earlier text to its present place. ``known_edits`` checks whether an
edit was applied, and what an old edit would undo.
"""
