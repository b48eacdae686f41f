"""A target that isn't there, or not with its context: where it was meant."""
