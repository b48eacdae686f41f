"""References and renames: questions about one name, asked of the whole project.

``project_names`` asks the compiler and completes its answers; ``name_params`` reads requests,
``lsp_answers`` answers in LSP's own values; ``gaps`` says what was not searched.
"""
