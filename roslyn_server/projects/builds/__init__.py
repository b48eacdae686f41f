"""How assemblies were last built: by Unity (Bee), by project files, or by definitions alone."""
