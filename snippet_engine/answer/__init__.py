"""The outcome of a request, as a result object and in words.

- ``result``: the result of ``edit_snippet``, and ``syntax_error``.
- ``warnings``, ``unity_warnings``: warnings to the agent.
- ``unified_diff``: the changes, and the part that is shown.
- ``text_form``, ``rename_text``, ``error_text``: results and errors in words.
- ``call_notes``: notes on interrupted writes that a call finished, added to its answer.
"""
