"""The CI gate: edit bundles checked against the contract and the working tree, many at once.

Implements docs/design/command-line.md ``lint``. ``run`` checks bundles in one process or several;
``report`` is the result in its forms, also of ``check``. Nothing here writes a file or prints.
"""
