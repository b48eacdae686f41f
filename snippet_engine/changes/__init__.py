"""Change sets: edit, create, delete and move several scripts together, or none of them.

- ``planning``: plans each change on its own file; ``planned_change``: the result.
- ``new_files``, ``folders``: new files, and the folders that a set names or empties.
- ``judging``: judges all changes together; ``offers``: one error for the whole set.
- ``carrying_out``, ``unity_warnings``: the write and the result object; its warnings.
- ``whole_texts``: whole texts as a set, for the review page.
- ``between``, ``from_history``: change sets made from two states of scripts, or from the history.
"""
