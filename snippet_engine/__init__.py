"""The snippet engine: small, anchored, validated edits of C# scripts.

It knows C# text and files. It knows nothing of MCP, LSP, HTTP or the Unity Editor. It imports no
other package of this project except ``unity_assets``.

- ``engine``: puts the parts together; the only module that knows all of them.
- ``errors``, ``source_text``, ``edits``, ``limits``, ``request``, ``change_request``: values.
- ``budget``: the limits of a call; ``call_context``: its client and its writes.
- ``set_writing``: writes a judged change set, and adds the outcome to its result.
- ``project_settings``: a Unity project's settings for scripts.
- ``late_pattern``: regular expressions that are compiled at their first use.
- ``longest_chain``: the longest increasing sequence.
"""
