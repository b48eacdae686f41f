"""The embedded validator: what is new in the scan and in the tree after an edit.

Start at :mod:`~snippet_engine.validation.embedded.embedded_validator.embedded_validator`.
"""
