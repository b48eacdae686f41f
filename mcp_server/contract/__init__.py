"""The contract of the tools: what they take, answer and promise, on every road.

``catalog`` has every tool; ``tool_spec`` is one, ``script_tools`` those for scripts. Schemas:
``editor_schemas``, ``project_schemas``, ``short_schemas``, ``task_schemas``, ``server_schemas``
(between a command and a running server), built from ``schema_parts``; ``contract_files`` writes
them to ``contracts/``.
``request_validator`` checks a call; ``errors``, ``outcome`` say how it ended.
"""
