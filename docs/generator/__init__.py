"""The documentation site's generated parts.

- ``reference_pages``: the pages of ``docs/reference``, from the contracts and the commands' help.
- ``parameters``: tables of a JSON Schema's fields.
- ``site_hooks``: MkDocs hooks, which add the repository's root pages to the site.

``python -m docs.generator`` writes the reference pages; ``--check`` exits with 1 if one is old.
"""
