"""A change of a text that was remembered wrongly, made to the true one."""
