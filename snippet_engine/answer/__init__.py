"""What a request came to, as a result object and as text.

- ``result``: the result of ``edit_snippet``, and ``syntax_error``.
- ``as_sent``: where an edit stands afterwards, and whether it is what was sent.
- ``warnings``, ``unity_warnings``, ``lost_fields``: what the sender should know.
- ``unified_diff``, ``line_diff``, ``diff_text``: what changed, and as much as is shown of it.
- ``text_form``, ``error_text``: results and errors in words.
- ``call_notes``: what a call finished of other writes, added to its answer.
"""
