"""How assemblies were last built: by Unity (``bee_builds``), by project files (``csproj_builds``),
or as far as definitions alone say (``defined_builds``).
"""
