"""What was typed, made into what a command works with."""
