"""Of a text that is known but for a body or two, only these are bound again, and all is told."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.toolchains.pairing import Toolchain

_SOURCE = Path(__file__).with_name("KnownBodies.cs")

_TEXT = """\
using System.Collections.Generic;
namespace N
{
    public class C : Base
    {
        private int a, a;
        public int First() { return 1; }
        public int Second(int b, int b) { var c = 1; return b; }
        public int P { get { return a; } set { a = value; } }
        public int Q => a;
        public int Third() { if (a > 1) return 2; return 3; }
#if HERE
        public int Fourth()
        {
#if OTHER
            break;
#endif
            return 4;
        }
#endif
        public struct S { public int Last() { return 5; } }
    }
}
"""

_EDITS = [
    ("return 1;", "return 1 + 1;", "0"),
    # An error in a body, of a parameter's, and of a member as a whole; what is behind them moves.
    ("return 1 + 1;", "int d = 1; int d = 2;\n\n return d;", "0"),
    ("return 2; return 3;", "return 2;", "4"),
    ("var c = 1;", "var c = 1, c = 2;", "1"),
    ("set { a = value; }", "set { a = value; int a = 1, a = 2; }", "2"),
    ("get { return a; }", "get { return a + 1; }", "2"),
    ("Q => a;", "Q => nameof(List<>);", "3"),
    ("Q => nameof(List<>);", "Q => a;", "3"),
    ("return 5;", "goto nowhere;", "5"),
    # What is declared in a body, and what holds behind it.
    ("Q => a;", "Q => field;", "all"),
    ("return 4;", "return 4 + 4;", "all"),
    # More than bodies.
    ("int b, int b", "int b, int c", "all"),
    ("private int a, a;", "private int a;", "all"),
    ("public int First()", "public long First()", "all"),
    ("Q => field;", "Q { get; }", "all"),
    ("public struct S", "public static struct S", "all"),
    ("return d;", "return d; }\n public int New() { return 1;", "all"),
    ("int d = 1; int d = 2;", "yield return d; unsafe { int* e; }", "0"),
]


def _texts() -> list[str]:
    texts = [_TEXT]
    for old, new, _ in _EDITS:
        assert texts[-1].count(old) == 1, old
        texts.append(texts[-1].replace(old, new))
    return texts


def test_only_changed_bodies_are_bound_again_and_all_is_told(roslyn_4_8: Toolchain) -> None:
    folders = [roslyn_4_8.roslyn_dir, roslyn_4_8.dotnet_root]
    command = [sys.executable, __file__, *map(str, folders), roslyn_4_8.runtime]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    again, found, all_ = told[::3], told[1::3], told[2::3]
    assert again == [wanted for _, _, wanted in _EDITS]
    for edit, by_what_is_known, from_nothing in zip(_EDITS, found, all_, strict=True):
        assert by_what_is_known == from_nothing, edit
    assert len({len(each.splitlines()) for each in all_}) > 3
    assert any(one != other for one, other in pairwise(all_))


def _main(roslyn_dir: str, dotnet_root: str, runtime: str) -> None:
    toolchain = Toolchain(Path(roslyn_dir), Path(dotnet_root), runtime)
    hosting.start(toolchain)
    load_compiled("RoslynServer", [*hosting.SOURCES, _SOURCE], toolchain.roslyn_dir)
    from RoslynServer import KnownBodies  # type: ignore[import-not-found]

    print(json.dumps([str(each) for each in KnownBodies.Told(hosting.dotnet_strings(_texts()))]))


if __name__ == "__main__":
    _main(*sys.argv[1:])
