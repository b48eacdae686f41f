"""Packages and libraries of the project."""
