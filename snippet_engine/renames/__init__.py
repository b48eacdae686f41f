"""References and renames: the places in scripts and in assets, joined into change sets.

Implements docs/design/rename.md. A language server finds the places in scripts.

- ``symbol_server``: questions to a language server; ``symbol_place``: a symbol's position.
- ``asset_names``: a symbol's names in Unity's assets.
- ``planned_rename``: both kinds of places as one change set; ``refusals``: why there is none.
- ``rename_result``: the answers; ``rename_tool``: the tools.
- ``replaced_name``, ``seems_rename``: recognise edits that are a rename, and count what they omit.
"""
