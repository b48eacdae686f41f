"""Record what happened: each event once, kept over a restart.

``events``: the events as values, and filters for them. ``event_store`` has all events, newest
first, and the texts before and after; its own thread writes them, with ``event_files``.
``recorder`` turns tool calls into events, and describes each in one line. ``history_events`` turns
the undo history's entries into events. ``other_events`` makes the rest: outside changes, guard
refusals, jobs, late errors. ``event_order`` puts changes in order, and sums them up by file.
"""
