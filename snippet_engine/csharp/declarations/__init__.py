"""The declarations of a C# file, and the symbol paths that name them.

``symbols``: all of them, and the outline; ``declaration_reader``, ``declaration_header``: how a
tree is read. ``symbol_path``, ``path_segments``, ``signatures``: paths and their matching.
``parts``: a declaration's body, attributes, name and so on.
``serialized_fields``: fields whose values Unity keeps.
"""
