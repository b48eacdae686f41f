"""Compare the embedded validator with Roslyn (docs/design/roslyn.md §1).

``python -m benchmarks.agreement`` takes real Unity C# from package registries, makes edits of it
with a seeded generator (mistakes, and changes that are fine), asks real Roslyn which of them
break the file, and counts where the embedded validator says otherwise.
"""
