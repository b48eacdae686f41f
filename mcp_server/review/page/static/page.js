// The page's own script.
