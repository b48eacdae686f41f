"""Ask for a text's errors, shown as a document or in one message (``text_reports``); ``report`` has
the values, and finds new errors.
"""
