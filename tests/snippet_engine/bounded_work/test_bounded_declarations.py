"""What is read of files with very many declarations, and of very many conditions.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

import pytest
from planning import document_of, on_symbol
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.budget import Steps
from snippet_engine.csharp import document as documents
from snippet_engine.csharp.declarations import declaration_reader
from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.errors import ErrorCode


def test_very_many_declarations(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declaration_reader, "MAX_DECLARATIONS", 50)
    project.write("class C {\n" + "".join(f"int a{n};\n" for n in range(100)) + "}\n")
    outline = project.engine.get_symbols({"path": SCRIPT})
    assert not isinstance(outline, dict)
    assert outline.code is ErrorCode.FILE_TOO_LARGE
    error = project.refused(on_symbol("C.a7", "delete"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert "too large" in error.message
    project.done(replace("int a7;", "int b7;"))


@pytest.mark.parametrize("members", [5, 2_000])
def test_of_a_large_type_a_part_is_read(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class C {\n" + "/// <summary>a</summary>\nvoid M() { }\n" * members + "}\n"
    document = document_of(text)
    taken = 0
    whole = Steps.take

    def counting(self: Steps, count: int = 1) -> bool:
        nonlocal taken
        taken += count
        return whole(self, count)

    monkeypatch.setattr(Steps, "take", counting)
    for place in ("/// <summary>", "void M", "{ }"):
        assert enclosing_path(document, text.rindex(place) + 1) == "C.M()"
    assert taken < 60


def test_very_many_conditions(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_CONDITIONS", 20)
    few, many = ("".join(f"#if A{n}\nint a;\n#endif\n" for n in range(count)) for count in (20, 21))
    project.write(f"class C {{\nint first;\n{few}}}\n")
    project.done(replace("int first;", "int other;"))
    error = project.refused(replace("int other;", "int other;\n#if B\n#endif"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    project.write(f"class C {{\nint first;\n{many}}}\n")
    for tool in (project.engine.get_symbols, project.engine.validate_script):
        refused = tool({"path": SCRIPT})
        assert not isinstance(refused, dict)
        assert refused.code is ErrorCode.FILE_TOO_LARGE
    assert project.refused(replace("int first;", "int a;")).code is ErrorCode.FILE_TOO_LARGE


def test_very_long_conditions(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few may name as many symbols as there is room for."""
    monkeypatch.setattr(documents, "MAX_OF_CONDITIONS", 200)
    monkeypatch.setattr(documents, "_LEAST_OF_CONDITIONS", 100)
    condition = "#if " + " || ".join(f"A{number:02}" for number in range(27))
    assert 180 < len(condition) < 200
    project.write(f"class C {{\nint first;\n{condition}\n#endif\n}}\n")
    project.done(replace("int first;", "int other;"))
    error = project.refused(replace("int other;", "int other;\n#if B && B && B && B\n#endif"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "more than 200 characters of them" in error.message
    assert len(error.message) <= 200
