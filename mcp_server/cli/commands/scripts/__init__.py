"""The commands for a project's scripts.

``script_commands``: symbols, an edit, references, and a rename.
``check_command``: does the project compile? ``history_commands``: the changes, and an undo.
"""
