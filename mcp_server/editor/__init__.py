"""Call the Unity Editor's tools: one queue, one request at a time, and jobs.

Imports the contract and ``unity_bridge``; knows no HTTP and no MCP. ``tools``: the entry.
``requests`` sends what ``scheduler`` decides; ``deduplicator`` recognizes repeated requests.
``job_tools``: calls about jobs; ``job_watch`` follows the jobs in ``job_manager``. ``backoff``
decides when to ask a silent Editor again. ``unity_answers`` checks answers and formats them as
text. ``errors``: failures for the caller.
"""
