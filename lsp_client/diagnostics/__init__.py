"""Ask a server for the errors of a text (``text_reports``), and find the new ones (``report``)."""
