"""One kind of change that breaks a file which uses the changed one.

A kind has a library and its user, in C# 9. ``old`` becomes ``new`` in the library, and the user
no longer compiles; with ``valid`` in its place, the user does.
"""

from __future__ import annotations

from dataclasses import dataclass

LIBRARY, FRIEND, USER = "Lib", "Friend", "App"
"""Assemblies; the last refers to the others."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. ``owner`` and ``used_in`` are the assemblies of the two files.

    ``usings`` are the user's, ``above`` stands before the library's namespace.
    """

    name: str
    library: str
    user: str
    old: str
    new: str
    valid: str = ""
    owner: str = LIBRARY
    used_in: str = USER
    usings: str = ""
    above: str = ""

    @property
    def space(self) -> str:
        """The namespace of the library; that of the user is below it."""
        return "K_" + "".join(each if each.isalnum() else "_" for each in self.name)

    @property
    def library_text(self) -> str:
        """The library as a script."""
        above = f"{self.above}\n" if self.above else ""
        return f"{above}namespace {self.space}\n{{\n    {self.library}\n}}\n"

    @property
    def user_text(self) -> str:
        """The user as a script."""
        below = self.space if self.owner == self.used_in else f"{self.space}.Uses"
        usings = f"    {self.usings.replace('NS', self.space)}\n" if self.usings else ""
        return f"namespace {below}\n{{\n{usings}    {self.user}\n}}\n"

    @property
    def valid_new(self) -> str:
        """What may stand in the place of ``old``."""
        return self.valid or f"/* as before */ {self.old}"
