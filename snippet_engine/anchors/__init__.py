"""From an anchor to exactly one place in a document, or to an error that helps."""
