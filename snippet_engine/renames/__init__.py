"""References and renames: a language server's answers and the assets', joined into change sets.

Implements docs/design/rename.md.

- ``symbol_server``: questions to a language server; ``symbol_place``: a symbol's position.
- ``asset_names``: the names in Unity's assets.
- ``planned_rename``: both as one change set; ``refusals``: why there is none.
- ``rename_result``: the answers; ``rename_tool``: the tools.
- ``replaced_name``, ``seems_rename``: whether edits are a rename, and the places they omit.
"""
