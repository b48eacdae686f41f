"""Known servers (``server_table``), and the choice among them and those of VS Code's extensions
(``selection``).
"""
