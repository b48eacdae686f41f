"""The Roslyn compiler in this process, loaded through pythonnet, with our C# next to it.

``hosting`` and ``host_assembly`` load the runtime and compile ``csharp/``; ``roslyn`` and
``compiled_project`` ask it; ``calls`` has the helpers of each call, ``answers`` the returned
values. In ``csharp/``: ``texts`` judges one text, ``project`` whole assemblies, ``edits`` changed
texts in them, ``names`` references, ``renames`` renames; ``extensions`` runs generators and
analyzers.
"""
