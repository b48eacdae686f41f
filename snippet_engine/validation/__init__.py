"""Verdicts on edited text: the validator interface and the embedded validator."""
