"""What a Unity project says about the build that a script belongs to.

Reads files only; knows neither LSP nor the compiler.
"""
