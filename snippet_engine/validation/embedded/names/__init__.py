"""Names around an edit: what each means where it is used, and what is declared twice."""
