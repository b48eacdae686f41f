"""What is asked of Unity's Pipeline package, tool by tool, and what the answers mean. No I/O.

``conversation``: what a conversation can ask. ``console``, ``play_mode``, ``compilation`` with
``compile_errors``, and ``run_status``: one for each tool.
"""
