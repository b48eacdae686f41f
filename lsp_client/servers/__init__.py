"""Known servers (``server_table``), those of VS Code's extensions (``extension_servers``), and the
choice among them (``selection``).
"""
