"""What a server that knows the whole project is asked."""
