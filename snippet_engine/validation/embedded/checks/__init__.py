"""What the grammar accepts and C# does not: tables of patterns, with their conditions beside."""
