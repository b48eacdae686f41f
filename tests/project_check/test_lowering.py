"""What the compiler finds only as it lowers bodies: the check names it where ``csc`` does."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_project import Check, assemblies

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutProject
from benchmarks.project_check.plain_compiler import compiled_by_csc
from benchmarks.shared_toolchains import ABSENT

SCRIPT = "Assets/Alone/Alone.cs"
TEXT = """\
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Alone
{
    public class Nobody
    {
        private static int[] all = new int[1];
        private static ref int First() => ref all[0];
        public static async Task Add() { First() += await Task.FromResult(1); }
        public static async Act Wait() { await Task.Yield(); }
        public int Of() => 1;
    }

    [AsyncMethodBuilder(typeof(Builder))]
    public class Act { }

    public class Builder
    {
        public static Builder Create() => null;
        public Act Task => null;
        public void Start<T>(ref T machine) where T : IAsyncStateMachine { }
        public void SetStateMachine(IAsyncStateMachine machine) { }
        public void SetResult() { }
        public void SetException(Exception error) { }
        public void AwaitOnCompleted<A, S>(ref A awaiter, ref S machine)
            where A : INotifyCompletion where S : IAsyncStateMachine { }
        public void AwaitUnsafeOnCompleted<A, S>(ref A awaiter, ref S machine)
            where A : ICriticalNotifyCompletion where S : IAsyncStateMachine { }
    }
}
"""

LOST = [
    ("void SetException", "void SetAnother"),
    ("void SetResult()", "void SetResult(int a)"),
    ("void Start<T>(ref T machine)", "void Start<T>(T machine)"),
]
"""What a builder can lack."""


def test_the_check_names_what_csc_names(game: Path, check: Check, compiler: Compiler) -> None:
    if compiler.csc is None:
        pytest.skip(ABSENT)
    alone = tuple(each for each in assemblies() if each.name == "Alone")
    project = LaidOutProject(game, alone)
    seen = set()
    texts = [TEXT, TEXT.replace("First() +=", "all[0] +=")]
    texts += [TEXT.replace(*each) for each in LOST]
    # Beside an error of binding.
    texts.append(TEXT.replace("=> 1;", "=> no;"))
    for text in texts:
        (game / SCRIPT).write_text(text, encoding="utf-8")
        truth = compiled_by_csc(compiler, project)
        found = check()
        while not found.confirmed:
            found = check()
        told = {(each.path, each.line, each.column, each.code) for each in found.errors}
        assert told == truth.places
        seen |= {each.id for each in truth.errors}
    assert seen >= {"CS0103", "CS0656", "CS8178"}
