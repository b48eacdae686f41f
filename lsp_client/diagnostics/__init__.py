"""What a server has against one text, and which of that is new."""
