"""The check of a whole project, and the parts that were not checked.

``project_check`` judges the project, ``texts_check`` its scripts without references.
``project_scope`` names what was not checked; ``kept_checks`` says where answers are kept.
"""
