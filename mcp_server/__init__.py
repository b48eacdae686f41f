"""One process that composes the other packages: tools, MCP over HTTP and stdio, command line.

May import every other package; nothing imports it. ``event_log``: structured logs. ``garbage``: the
garbage collector's pace. ``interrupt_signals``: signals that end a command. ``json_failure``,
``json_layout``: why a text is no JSON; where its values are. ``lost_reader``, ``terminal_text``:
closed pipes; safe terminal output. ``this_installation``, ``version``: how to change what is
installed.
"""
