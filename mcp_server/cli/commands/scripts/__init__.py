"""The commands for a project's scripts.

``edit_commands``: symbols, and an edit. ``name_commands``: references, and a rename.
``check_command``: does the project compile? ``history_commands``: the changes, and an undo.
"""
