"""What is said of an anchor that fits more places than one request takes."""

from __future__ import annotations

from unity_project import UnityProject, replace

from snippet_engine.errors import MAX_MESSAGE_LENGTH


def test_too_many_places_say_how_all_are_changed(project: UnityProject) -> None:
    for count in (2, 50, 51, 900):
        project.write(
            "class A\n{\n    void M()\n    {\n" + "        Go();\n" * count + "    }\n}\n"
        )
        message = project.refused(replace("Go", "Run")).message
        assert ("at most 50 instructions, first lines first" in message) is (count > 50)
        assert len(message) <= MAX_MESSAGE_LENGTH
