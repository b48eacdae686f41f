"""What happened: each event once, kept over a restart.

``events``: the values, and which of them somebody wants. ``event_store``: all events, newest first,
and the texts before and after; it writes them on a thread of its own, with ``event_files``.
``recorder`` makes events of calls, and their lines; ``history_events`` of the history's entries,
``other_events`` of what is no call: outside changes, the guard, jobs. ``event_order``: which change
came first, and all of them summed up by file.
"""
