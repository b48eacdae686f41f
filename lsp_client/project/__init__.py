"""Questions about the whole project (``project_requests``) and its
names (``symbol_requests``); ``project_files`` reads which scripts a
``.csproj`` lists.
"""
