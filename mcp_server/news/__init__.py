"""New errors that are found after an edit was answered, and who was given them.

Imports the contract and the engine's values. All is pure, except ``background_judge``: it judges
applied edits round by round, and finds which edit caused an error. ``applied_edits``: the edits to
judge. ``findings``: the errors found. ``callers``: who calls, and what each was given. ``news``
joins these. ``answers`` puts news into an answer. ``reported_errors``: errors that an agent
already got from its hooks or tools, and errors that an answer contains anyway.
"""
