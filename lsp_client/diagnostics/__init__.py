"""Ask for a text's errors: shown as a document (``document_diagnostics``) or in one message
(``text_reports``); ``report`` has the values, and finds new errors.
"""
