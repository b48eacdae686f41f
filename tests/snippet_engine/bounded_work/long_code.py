"""A text that takes a parser many steps, and nothing else."""

CODE = b"class C { " + b"int a = b + f(c);\n" * 5_000 + b"}"
