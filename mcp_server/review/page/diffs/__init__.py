"""Show what a change did to one file.

``file_diff`` makes the rows of the file's diff, ``marked_text`` colours them. ``asset_changes``
lists the changed fields of an asset.
"""
