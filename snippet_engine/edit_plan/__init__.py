"""What instructions at their places come to: one set of disjoint edits."""
