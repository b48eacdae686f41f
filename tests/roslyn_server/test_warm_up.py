"""The warm-up: what it judges; and that what goes wrong in it keeps no server from starting."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roslyn_server import judge
from roslyn_server.checking import texts_check
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.judge import Judge


class Warm:
    """Stands for a compiler that has warmed up by itself."""

    compiler = "4.8.0"

    def is_warm(self) -> bool:
        return True

    def project(self) -> None:
        return None


def test_a_project_that_can_not_be_read_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: ProjectCheck) -> None:
        raise ValueError("a bug in reading projects")

    monkeypatch.setattr(ProjectCheck, "cheapest_script", fail)
    monkeypatch.setattr(texts_check, "TextsAlone", lambda: None)
    compiler: Any = Warm()
    Judge(compiler, tmp_path).warm_up()
    assert "the project could not be read to warm up" in caplog.text


def test_a_script_of_the_smallest_assembly_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, asked = tmp_path / "A.cs", list[Any]()
    script.write_text("class A { }\n", encoding="utf-8")
    monkeypatch.setattr(ProjectCheck, "cheapest_script", lambda _: "A.cs")
    monkeypatch.setattr(texts_check, "TextsAlone", lambda: None)
    monkeypatch.setattr(judge, "Cancellation", lambda: SimpleNamespace(cancel=None))
    monkeypatch.setattr(Judge, "semantics", lambda _, *given, **__: asked.append(given[:2]))
    compiler: Any = Warm()
    Judge(compiler, tmp_path).warm_up()
    assert asked == [(script, "class A { }\n")]
