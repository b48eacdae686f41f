"""The tools of the engine beside the edits, and what bounds a call of any tool."""
