"""History: what earlier versions of a script tell about an edit.

``track_position`` follows a text to where it is now. ``already_applied``,
``request_already_applied``, ``known_edits``: whether an edit was made. ``reverts_later_edit``.
"""
