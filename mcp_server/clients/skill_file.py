"""The skill that tells an agent when to use which tool, in a client's folder of skills.

Part of docs/design/command-line.md ``client install``. A skill is a folder with a ``SKILL.md``, in
the open Agent Skills format. A skill of that name with another text stays as it is.
"""

from __future__ import annotations

from pathlib import Path

from mcp_server.clients.config_files import Plan, Problem, copy_place, planned, read_file

SKILL_FILE = Path("unity-scripts", "SKILL.md")
"""Below a folder of skills."""


def skill_text() -> str:
    """Return the skill."""
    return (Path(__file__).parent / "skill" / SKILL_FILE.name).read_text(encoding="utf-8")


def plan_skill(file: Path, *, replace: bool = False) -> Plan | Problem:
    """Plan to write the skill; another text there is a problem, unless ``replace``."""

    def change(before: str | None) -> Plan | Problem:
        after = skill_text()
        is_other = before is not None and before != after
        if is_other and not replace:
            return Problem(
                f"{file} has another text: it is from another version, or was edited. With "
                "--replace it is replaced, and a copy is kept. Nothing was written."
            )
        return Plan(file, before, after, copy=copy_place(file) if is_other else None)

    return planned(file, change)


def has_skill(file: Path) -> bool:
    """Whether ``file`` is our skill, unchanged. Raises ``OSError``."""
    try:
        return read_file(file) == skill_text()
    except ValueError:  # no text, or too much of it
        return False


def remove_skill(file: Path) -> None:
    """Remove the skill at ``file``, with its folder if that is empty. Raises ``OSError``."""
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()
