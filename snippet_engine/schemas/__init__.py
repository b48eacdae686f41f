"""The contract of the tools as JSON Schemas, and the check of arguments against them.

- ``schema``, ``result_schema``, ``rename_schemas``, ``tool_schemas``: the input and output of each
  tool; ``whole_texts_schema``: the schema of the review page's own call.
- ``checked_params``: parameters that satisfy their schema; ``schema_findings``: their problems.
"""
