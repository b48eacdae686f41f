"""One module a command of ``unity-cli``."""
