"""References and renames: questions about one name, asked of the whole project.

``name_requests`` reads and answers this server's own requests and LSP's. ``project_names`` asks the
compiler, and completes its answers with what was not searched.
"""
