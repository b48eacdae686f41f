"""The places most like an anchor whose text isn't there as it was sent."""
