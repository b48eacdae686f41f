"""What happened: each event once, kept over a restart.

``events``: the values; ``event_filter``: which of them. ``event_store``: all events, newest first,
and the texts before and after; it writes them on a thread of its own, with ``event_files``.
``recorder`` makes events of calls, ``history_events`` of the history's entries, ``other_events`` of
what is no call: outside changes, the guard, jobs. ``words`` has their lines. ``event_order``: which
change came first. ``net_difference``: events summed up by file.
"""
