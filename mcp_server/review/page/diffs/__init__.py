"""Diffs for people: lines side by side or inline, with changed words and coloured code.

``file_diff``: the rows of one file's change; ``changed_words`` and ``csharp_colours`` say what to
mark in them; ``marked_line``: the HTML of a line. ``asset_changes``: the fields that changed in
an asset. ``kept_diffs``: those that were made before.
"""
