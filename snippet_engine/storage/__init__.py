"""Files on disk: containment, the write of one script, history, replayed requests.

May import :mod:`snippet_engine.errors` and :mod:`snippet_engine.source_text` only. Public:
``paths.project`` (``Project``, ``ScriptPath``), ``script_store`` (``ScriptStore``) and
``request_log`` (``RequestLog``). Rooms, each knowing those behind it only: ``change_sets``, several
files written as one; ``recovery``; ``records``; ``paths``; and ``system``, what the three systems
do differently.
"""
