"""A small project of four assemblies, as Unity leaves it after a build; and what can be done to it.

Run as a script it writes the project into a folder, in a process of its own, as that hosts a
compiler and a process can host one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.project_check.compilers import newest_compiler
from benchmarks.project_check.layout import LaidOutAssembly, LaidOutProject, write_build
from lsp_client.project.project_requests import ProjectCheck

Check = Callable[..., ProjectCheck]
"""What a server says of the project."""

SCRIPTS = {
    "Assets/Core/Clock.cs": """\
namespace Core
{
    public class Clock
    {
        public int Now() => 1;

        internal int Hidden() => 2;
    }
}
""",
    "Assets/Core/Timer.cs": """\
namespace Core
{
    public static class Timer
    {
        public static int Later(this Clock clock, int by) => clock.Now() + by;
    }
}
""",
    "Assets/Game/Player.cs": """\
using Core;

namespace Game
{
    public class Player
    {
        private readonly Clock clock = new Clock();

        public int Time() => clock.Now() + clock.Later(3);
    }
}
""",
    "Assets/Game/Enemy.cs": """\
namespace Game
{
    public class Enemy : Player
    {
#if HARD_MODE
        public int Strength => Strnegth;
#endif
    }
}
""",
    "Assets/Game.Tests/PlayerTests.cs": """\
namespace Game.Tests
{
    public class PlayerTests
    {
        public bool Passes() => new Player().Time() == new Enemy().Time();
    }
}
""",
    "Assets/Alone/Alone.cs": """\
namespace Alone
{
    public class Nobody
    {
        public string Name = "nobody";
    }
}
""",
}

REFERENCES = {"Core": (), "Game": ("Core",), "Game.Tests": ("Core", "Game"), "Alone": ()}


def assemblies() -> tuple[LaidOutAssembly, ...]:
    return tuple(
        LaidOutAssembly(
            name,
            tuple(sorted(path for path in SCRIPTS if path.split("/")[1] == name)),
            references,
        )
        for name, references in REFERENCES.items()
    )


def write(root: Path) -> None:
    for path, text in SCRIPTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    write_build(LaidOutProject(root, assemblies()), newest_compiler())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
