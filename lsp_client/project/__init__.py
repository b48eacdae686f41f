"""Questions about the whole project (``project_requests``), its names and fixes for errors
(``symbol_requests``; of servers without our requests ``lsp_references``).
"""
