"""Unity's assets."""
