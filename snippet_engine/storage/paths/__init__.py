"""Where a request's path leads: what it may look like, and the project in which it is looked up."""
