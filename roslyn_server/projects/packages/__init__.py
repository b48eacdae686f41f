"""Packages (``manifests``) and managed libraries (``libraries``) of the project."""
