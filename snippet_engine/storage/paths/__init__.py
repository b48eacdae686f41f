"""Where a request's path leads.

- ``request_path``: the syntax of a path; ``project``: where it leads on disk.
- ``path_refusal``: why it leads to no script, and existing scripts that resemble it.
"""
