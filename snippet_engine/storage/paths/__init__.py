"""Where a request's path leads.

- ``request_path``: the syntax of a path; ``project``: where it leads on disk.
- ``path_refusal``: why it doesn't lead to a script, and existing scripts that resemble it.
"""
