"""How the scripts of a Unity project are compiled, read from its files.

Knows neither LSP nor the compiler. ``project_builds`` says what each assembly consists of now,
or why that is unknown; ``build_symbols`` the symbols of one script; ``judged_symbols`` the
symbol sets to judge it under. ``build`` has the values, ``files`` looks at files; the rooms
below read what the answer depends on.
"""
