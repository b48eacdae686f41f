"""Calls to the Unity Editor: one queue, one request at a time, jobs, and their outcomes.

Imports the contract and ``unity_bridge``; knows no HTTP and no MCP. ``tools``: the entry.
``requests`` sends what ``scheduler`` (with ``scheduler_events``) decides. ``compile_tool``,
``job_tools``: calls about jobs; ``job_watch`` follows the jobs in ``job_manager``, and ``silence``
spares a silent Editor. ``deduplicator``: repeated requests. ``unity_answers``: check answers
against the contract. ``errors``, ``texts``: outcomes for the caller. ``server_state``: the server's
states.
"""
