"""The documentation. ``generator`` makes its reference pages."""
