"""Assembly definitions: their content, GUIDs, conflicts and version conditions."""
