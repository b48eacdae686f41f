"""References and renames: questions about one name, asked of the whole project.

``name_requests`` answers this server's own requests and LSP's, ``name_params`` reads them.
``project_names`` asks the compiler and completes its answers; ``gaps`` says what was not searched.
"""
