"""Questions about the whole project (``project_requests``), its names, and fixes for errors.

``symbol_requests`` asks about names and fixes; ``lsp_references`` asks servers that don't have our
requests.
"""
