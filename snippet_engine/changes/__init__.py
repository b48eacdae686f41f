"""Change sets: several scripts edited, created, deleted and moved together, or none of them.

- ``planning``: plans each change on its own file; ``planned_change``: its result.
- ``new_files``, ``folders``: new files, and the folders that a set names or empties.
- ``judging``: judges the set as one; ``offers``: one error for the set.
- ``carrying_out``, ``unity_warnings``: the write and the result object; its warnings.
- ``whole_texts``: whole texts as a set, which the review page writes.
- ``between``, ``from_history``: change sets made from two states of scripts, or from the history.
"""
