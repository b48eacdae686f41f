"""MCP clients: where each keeps its servers, in which form, and how our entry gets there.

Implements docs/design/command-line.md ``client``. ``table`` has the clients, ``locations`` their
files, ``entries`` our entry in its forms, and whose an entry is. ``installation`` plans
changes of an entry and ``skill_file`` those of the skill; ``config_files`` reads and writes a file
(``json_document``, ``toml_document``), one command at a time (``turns``); ``install_record`` notes
what an install has created. ``guard_hooks`` does the same for the guard's hooks.
"""
