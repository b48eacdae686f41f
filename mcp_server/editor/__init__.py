"""Call the Unity Editor's tools: one queue, one request at a time, and jobs.

Imports the contract and ``unity_bridge``; knows no HTTP and no MCP. ``tools``: the entry.
``requests`` sends what ``scheduler`` decides; ``deduplicator`` recognizes repeated requests.
``job_tools``: calls about jobs; ``job_watch`` follows the jobs in ``job_manager``; ``backoff``:
when a silent Editor is asked again. ``unity_answers``: checks and texts of answers. ``errors``:
failures for the caller.
"""
