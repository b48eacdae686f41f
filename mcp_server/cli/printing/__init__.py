"""What a command prints, and where; and what its standard streams are, and become."""
