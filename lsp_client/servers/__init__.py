"""Which language servers there are, which one is run, and how it is started."""
