"""What happened: each event once, kept over a restart.

``events``: the events as values, and filters for them. ``event_store`` has all events, newest
first, and the texts before and after; its own thread writes them, with ``event_files``.
``recorder`` makes events of tool calls, and their lines of text. ``history_events`` makes events of
the undo history's entries. ``other_events`` makes the rest: outside changes, guard refusals, jobs,
late errors. ``event_order`` puts changes in order, and sums them up by file.
"""
