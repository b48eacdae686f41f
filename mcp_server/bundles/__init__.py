"""Edit bundles: find, read, check and apply edits that are kept as files.

Implements docs/design/command-line.md "Bundles". ``discovery`` finds bundles, ``bundle`` reads
one, ``item`` is a request in it, with the engines that judge it. ``apply`` reports ``findings``, or
writes. ``git_changes`` and ``git_program`` say what a bundle of git's changes holds. Nothing here
prints.
"""
