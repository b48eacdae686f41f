"""The questions to Unity's Pipeline package, tool by tool, and their answers. No I/O.

``conversation``: the Editor as a conversation sees it. ``console``, ``play_mode``, ``compilation``
with ``compile_errors``, and ``run_status``: one for each tool.
"""
