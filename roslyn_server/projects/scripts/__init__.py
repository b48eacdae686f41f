"""Which scripts lie in the project, by assembly (``project_scripts``), and which can't be read
(``unreadable``).
"""
