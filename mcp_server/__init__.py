"""The server and the command line: one process that composes the other packages.

May import every other package; nothing imports it. ``event_log``: structured logs. ``garbage``: the
garbage collector's pace. ``interrupt_signals``: signals that end a command. ``json_text``: explains
invalid JSON, and finds values in JSON. ``terminal_text``: safe output, and closed pipes.
``this_installation``, ``version``: how to change what is installed.
"""
