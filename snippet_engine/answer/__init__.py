"""What a request came to, in structure and in words."""
