"""Where a request's path leads.

- ``request_path``: what a path may look like; ``project``: where it leads on disk.
- ``path_refusal``: why it leads to no script; ``nearest_files``: existing scripts that resemble it.
"""
