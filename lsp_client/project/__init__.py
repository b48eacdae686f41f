"""Questions about the whole project (``project_requests``), its names (``symbol_requests``; of
servers without our requests ``lsp_references``), and fixes for errors (``fix_requests``).
``project_files`` reads which scripts a ``.csproj`` lists.
"""
