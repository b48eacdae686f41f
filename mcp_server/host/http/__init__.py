"""Every route in one application, behind one guard, and what a connection may cost."""
