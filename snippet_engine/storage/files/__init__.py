"""One file: written under a temporary name, then renamed.

- ``atomic_write``: a new file under its temporary name, with the mode and owner of the old one.
- ``rename_into_place``: the step that replaces, creates or removes a script.
"""
