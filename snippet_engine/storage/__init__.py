"""Files on disk: containment, locks, the atomic write, history, replayed requests.

May import :mod:`snippet_engine.errors` and :mod:`snippet_engine.source_text` only. Public:
``project`` (``Project``, ``ScriptPath``), ``script_store`` (``ScriptStore``), ``change_store``
(``ChangeStore``), ``file_change`` (``FileChange``) and ``request_log`` (``RequestLog``).
"""
