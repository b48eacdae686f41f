"""Edit bundles: edits that are kept as files, found, read, checked and applied.

Implements docs/design/command-line.md "Bundles". ``discovery`` finds bundles, ``bundle`` reads
one, ``item`` is a request in it, ``engines`` judge it. ``check`` reports
findings (``findings``, ``refusals``, ``rules``); ``apply`` writes. ``git_changes``,
``git_program``, ``moved_scripts`` and ``left_out`` say what a bundle of git's changes holds.
Nothing here prints.
"""
