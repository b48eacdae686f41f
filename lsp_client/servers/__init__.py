"""Known servers (``server_table``), and the choice of one, also from VS Code's extensions
(``selection``)."""
