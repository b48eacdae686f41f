"""The skill that tells an agent when to use which tool, in the folder where a client looks for it.

Part of docs/design/command-line.md ``client install``. A skill is a folder with a ``SKILL.md`` in
it, in the open Agent Skills format. One of that name that says something else stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcp_server.clients.installation import Plan, Problem, planned, read_file
from mcp_server.clients.table import Client, Scope

SKILL_NAME = "unity-scripts"
_FILE = "SKILL.md"


def skill_text() -> str:
    """The skill, as it is written."""
    return (Path(__file__).parent / "skill" / _FILE).read_text(encoding="utf-8")


def skill_file(
    client: Client,
    scope: Scope,
    *,
    home: Path,
    environment: Mapping[str, str],
    project: Path | None,
) -> Path | None:
    """Where ``client`` looks for our skill in that scope; ``None`` where it looks nowhere.

    ``project`` is needed for the project's scope.
    """
    if scope is Scope.PROJECT:
        if client.project_skills is None or project is None:
            return None
        return project / client.project_skills / SKILL_NAME / _FILE
    if client.user_skills is None:
        return None
    moved = environment.get(client.folder_variable or "")
    if moved and client.skills_move:
        return Path(moved) / Path(client.user_skills).name / SKILL_NAME / _FILE
    return home / client.user_skills / SKILL_NAME / _FILE


def plan_skill(file: Path, *, replace: bool = False) -> Plan | Problem:
    """What writing the skill would make of ``file``.

    Another text there is a problem, of an earlier version or somebody's own; ``replace``: it goes.
    """

    def change(before: str | None) -> Plan | Problem:
        after = skill_text()
        if before is not None and before != after and not replace:
            return Problem(
                f"{file} says something else: it is of another version, or was changed. To have it "
                "replaced, say --replace. Nothing was written."
            )
        return Plan(file, before, after)

    return planned(file, change)


def has_skill(file: Path) -> bool:
    """Whether the skill is at ``file``, as it is written. Raises ``OSError``."""
    try:
        return read_file(file) == skill_text()
    except ValueError:  # no text, or too much of it
        return False


def remove_skill(file: Path) -> None:
    """Take the skill at ``file`` away, with its folder if nothing else is there.

    Raises ``OSError``.
    """
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()
