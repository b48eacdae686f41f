"""A Unity project whose scripts compile, for measuring verdicts on what names mean.

Its scripts are plain C# that refers to one another, and its project file lists them with the
.NET libraries that they need, as Unity writes it for code editors.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

SCRIPT = "Assets/Scripts/Measured.cs"
OTHER_SCRIPTS = 100
OTHER_LINES = 100

_MEMBER = """\
        public int Total{n}(System.Collections.Generic.List<int> values, int limit)
        {{
            var sum = factor{n} * limit;
            foreach (var value in values)
            {{
                if (value > limit && value % {m} == 0)
                {{
                    sum += value - {n};
                }}
            }}
            return sum + Other{o}.Shared(sum);
        }}

        private readonly int factor{n} = {n};

"""


def script_of_lines(lines: int, name: str = "Measured", *, directives: bool = True) -> str:
    """Return a script of about so many lines without errors, with an ``#if`` if asked."""
    members = max(1, (lines - 8) // _MEMBER.count("\n"))
    body = "".join(
        _MEMBER.format(n=number, m=number % 7 + 2, o=number % OTHER_SCRIPTS)
        for number in range(members)
    )
    shared = "        public static int Shared(int value) => value / 2;\n"
    branch = "#if BENCHMARK_MOBILE\n        private int mobile;\n#endif\n" if directives else ""
    content = f"{shared}{branch}{body}"
    return f"namespace Benchmarks\n{{\n    public class {name}\n    {{\n{content}    }}\n}}\n"


def make_project(root: Path, libraries: Path | None, others: int = OTHER_SCRIPTS) -> Path:
    """Write the project into an empty folder; without ``libraries``, one that was never built.

    ``others`` are the scripts beside the measured one, at least as many as that refers to.
    """
    (root / SCRIPT).parent.mkdir(parents=True)
    settings = root / "ProjectSettings"
    settings.mkdir()
    (settings / "ProjectVersion.txt").write_text("m_EditorVersion: 2022.3.62f1\n", encoding="utf-8")
    scripts = [SCRIPT]
    for number in range(others):
        path = f"Assets/Scripts/Other{number}.cs"
        text = script_of_lines(OTHER_LINES, f"Other{number}", directives=False)
        (root / path).write_text(text, encoding="utf-8")
        scripts.append(path)
    (root / SCRIPT).write_text(script_of_lines(100), encoding="utf-8")
    if libraries is not None:
        (root / "Assembly-CSharp.csproj").write_text(
            _project_file(scripts, libraries), encoding="utf-8"
        )
    return root


def _project_file(scripts: list[str], libraries: Path) -> str:
    compiled = "".join(f"<Compile Include={quoteattr(path)} />" for path in scripts)
    references = "".join(
        f"<Reference Include={quoteattr(file.stem)}><HintPath>{file}</HintPath></Reference>"
        for file in sorted(libraries.glob("*.dll"))
        if b"BSJB" in file.read_bytes()  # native libraries lie beside them
    )
    return (
        "<Project><PropertyGroup><LangVersion>9.0</LangVersion>"
        "<AssemblyName>Assembly-CSharp</AssemblyName>"
        "<DefineConstants>UNITY_EDITOR</DefineConstants></PropertyGroup>"
        f"<ItemGroup>{compiled}</ItemGroup><ItemGroup>{references}</ItemGroup></Project>\n"
    )
