"""MCP clients: where each keeps its servers, and how our entry gets into its files.

Implements docs/design/command-line.md ``client``. ``table`` has the clients, and where their files
are; ``entries`` our entry in each form, and whether an entry is ours. ``installation`` plans
changes of an entry and of the skill, one command at a time; ``config_files`` reads and writes a
file (``json_document``, ``toml_document``), and records what an install has created.
``guard_hooks`` plans changes of the guard's hooks.
"""
