"""New errors that are found after the answer, and who was given them.

Imports the contract and the engine's values. Pure, but for ``background_judge``, which judges
applied edits one round at a time, and finds which of them led to an error. ``applied_edits``: which
are to be judged. ``findings``: what was found. ``callers``: who calls, and who was
given what. ``news``: these together. ``answers``: how an answer says it;
``told_errors``: what an agent's hooks and tools have said to it, and what an answer says anyway.
"""
