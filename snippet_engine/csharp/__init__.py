"""C# text: scanning, preprocessing, parsing, symbols. Knows no requests and no files.

``document``: a text under its preprocessor symbol sets; ``document_cache`` keeps the last ones.
``analysis``: a text under one symbol set. ``structure``: what an edit does to the statements around
it. ``dangling_names``: used names whose declaration an edit removed. ``lexical/``: characters and
lines; ``tree/``: tree-sitter; ``declarations/``: symbols and their paths.
"""
