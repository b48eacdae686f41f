"""Questions about the whole project: ``project_questions`` for threads, ``project_requests`` over
LSP; ``project_files`` reads which scripts a ``.csproj`` lists.
"""
