"""``dev.py`` by the interpreter alone, before it has made any environment."""

from __future__ import annotations

import ast
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from this_system import needs_posix

import dev
import dev_demo
import dev_environment
from dev_environment import StepError

ROOT = Path(__file__).resolve().parent.parent


def _typed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "dev.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("command", "does"),
    [
        ("demo", "Preview, apply, verify and undo"),
        ("generate", "Write all that is made from the code"),
        ("setup", "Make the virtual environment"),
    ],
)
def test_each_command_says_what_it_does(command: str, does: str) -> None:
    done = _typed(command, "-h" if command == "demo" else "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: dev.py {command}" in done.stdout
    assert does in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "say which command (--help tells what each does): demo, "),
        (["demo", "more"], "demo takes no arguments"),
    ],
)
def test_what_is_no_command_is_refused(arguments: list[str], told: str) -> None:
    done = _typed(*arguments)
    assert done.returncode == 2
    assert told in done.stderr


def test_an_old_python_gets_as_far_as_the_sentence_that_it_is_too_old() -> None:
    """Python 3.6 has no such import from the future, and evaluates annotations."""
    tree = ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 7))
    kinds = [type(each) for each in tree.body]
    guard = kinds.index(ast.If)
    assert "MINIMUM_PYTHON" in ast.unparse(tree.body[guard])
    assert set(kinds[:guard]) <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign}
    imported = [each.module for each in tree.body if isinstance(each, ast.ImportFrom)]
    assert "__future__" not in imported


@pytest.mark.parametrize("name", ["dev.py", "dev_demo.py", "dev_environment.py"])
def test_nothing_but_the_standard_library_is_imported(name: str) -> None:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    imported = {
        each.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for each in node.names
    } | {
        str(node.module).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert imported <= {*sys.stdlib_module_names, "dev_demo", "dev_environment"}


def _dev(command: str, venv: Path, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "dev.py", command],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "UNITY_SNIPPET_VENV": str(venv)},
        stdout=more.get("stdout", subprocess.PIPE),
    )


def _tree(folder: Path) -> dict[str, str]:
    return {
        str(each.relative_to(folder)): each.read_text(errors="replace") if each.is_file() else ""
        for each in folder.rglob("*")
    }


@pytest.mark.parametrize(("command", "another"), [("setup", ""), ("demo", "pyvenv.cfg")])
def test_a_folder_of_somebody_elses_is_not_emptied(
    tmp_path: Path, command: str, another: str
) -> None:
    precious = tmp_path / "precious"
    (precious / "sub").mkdir(parents=True)
    (precious / "thesis.txt").write_text("x")
    if another:
        (precious / another).write_text("version = 3.6.1")
    before = _tree(precious)
    done = _dev(command, precious)
    assert done.returncode == 1
    assert "holds no environment that dev.py made" in done.stderr
    assert "thesis.txt" in done.stderr
    assert _tree(precious) == before


@pytest.mark.parametrize("kind", ["file", "below a file", "dangling link"])
def test_what_is_no_folder_is_told_as_that(tmp_path: Path, kind: str) -> None:
    there = tmp_path / "there"
    if kind == "dangling link":
        there.symlink_to(tmp_path / "nowhere")
    else:
        there.write_text("mine")
    done = _dev("setup", there / "venv" if kind == "below a file" else there)
    assert done.returncode == 1
    assert "Failed: " in done.stderr
    assert str(there) in done.stderr or os.path.relpath(there) in done.stderr
    assert "python3-venv" not in done.stderr
    assert "Traceback" not in done.stderr
    assert kind == "dangling link" or there.read_text() == "mine"


def test_an_environment_of_ours_that_was_cut_short_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = tmp_path / "venv"
    monkeypatch.setattr(dev_environment, "VENV", venv)
    monkeypatch.setattr(dev_environment, "STAMP", venv / "unity-snippet.stamp")
    dev_environment._clear_environment()
    begun = _tree(venv)
    assert [*begun] == ["unity-snippet.stamp"]
    (venv / "lib" / "python3.9").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /nowhere")
    dev_environment._clear_environment()
    assert _tree(venv) == begun


@needs_posix
class TestStamp:
    """What dev.py finds in an environment's folder, and what it notes there; pip installs nothing
    here."""

    @pytest.fixture(autouse=True)
    def venv(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        venv = tmp_path / "venv"
        monkeypatch.setattr(dev_environment, "VENV", venv)
        monkeypatch.setattr(dev_environment, "PYTHON", venv / "bin" / "python")
        monkeypatch.setattr(dev_environment, "STAMP", venv / "unity-snippet.stamp")
        monkeypatch.setattr(dev_environment, "PACKAGES", ("none",))
        monkeypatch.setattr(dev_environment, "pip", lambda *_: None)
        captured = dev_environment.captured

        def quickly(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
            return captured([*command, "--without-pip"] if "venv" in command else command)

        monkeypatch.setattr(dev_environment, "captured", quickly)
        return venv

    def prepare(self) -> None:
        dev_environment.prepare_environment(dev.MINIMUM_PYTHON, dev=True)

    def break_python(self, venv: Path) -> None:
        for each in (venv / "bin").glob("python*"):
            each.unlink()

    def test_an_environment_of_ours_is_made_anew(self, venv: Path) -> None:
        self.prepare()
        self.break_python(venv)
        (venv / "lib" / "old").mkdir()
        self.prepare()
        assert (venv / "bin" / "python").exists()
        assert not (venv / "lib" / "old").exists()

    def test_what_else_is_in_one_of_ours_stays(self, venv: Path) -> None:
        self.prepare()
        (venv / "src").mkdir()
        (venv / "src" / "notes.txt").write_text("mine")
        self.prepare()
        self.break_python(venv)
        before = _tree(venv)
        with pytest.raises(StepError, match=r"no part of it \(src\), and is left as it is"):
            self.prepare()
        assert _tree(venv) == before

    def test_somebody_elses_is_installed_into_but_never_cleared(
        self, venv: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        self.prepare()
        assert "into the environment that is in" in capsys.readouterr().out
        self.prepare()
        assert capsys.readouterr().out == ""
        self.break_python(venv)
        before = _tree(venv)
        with pytest.raises(StepError, match=r"holds no environment that dev\.py made"):
            self.prepare()
        assert _tree(venv) == before

    def test_a_stamp_that_says_nothing_of_who_made_it_is_no_leave_to_clear(
        self, venv: Path
    ) -> None:
        (venv / "lib").mkdir(parents=True)
        for text in (b"", b"0123 /checkout\ndev\n", b"\xff\xfe"):
            (venv / "unity-snippet.stamp").write_bytes(text)
            with pytest.raises(StepError, match=r"holds no environment that dev\.py made"):
                self.prepare()
            assert (venv / "lib").is_dir()

    @pytest.mark.parametrize(
        ("kind", "works"), [("link", True), ("link", False), ("FIFO", True), ("folder", False)]
    )
    def test_what_is_no_regular_file_is_no_stamp(
        self, venv: Path, tmp_path: Path, kind: str, works: bool
    ) -> None:
        if works:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        venv.mkdir(exist_ok=True)
        precious = tmp_path / "precious"
        precious.write_text("mine")
        stamp = venv / "unity-snippet.stamp"
        if kind == "link":
            stamp.symlink_to(precious)
        elif kind == "FIFO":
            os.mkfifo(stamp)
        else:
            stamp.mkdir()
        with pytest.raises(StepError, match=r"unity-snippet\.stamp is not a regular file"):
            self.prepare()
        assert os.path.lexists(stamp)
        assert precious.read_text() == "mine"

    def test_no_link_beside_it_is_written_through(self, venv: Path, tmp_path: Path) -> None:
        self.prepare()
        precious = tmp_path / "precious"
        precious.write_text("mine")
        (venv / "unity-snippet.stamp.new").symlink_to(precious)
        self.break_python(venv)
        self.prepare()
        assert precious.read_text() == "mine"
        assert not os.path.lexists(venv / "unity-snippet.stamp.new")

    def test_a_stamp_that_can_t_be_written_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(self: Path, target: Path) -> Path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Path, "replace", fails)
        with pytest.raises(StepError, match=r"venv.*No space left on device\. Make room there\."):
            self.prepare()


def test_a_reader_that_has_gone_gets_no_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = _dev("setup", tmp_path / "venv", stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


class TestDemoProject:
    """Its source comes from the registry; here a script stands for it."""

    @pytest.fixture(autouse=True)
    def without_the_registry(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fetched(command: list[Path]) -> subprocess.CompletedProcess[str]:
            script = command[-1] / "Notifiers" / "CountNotifier.cs"
            script.parent.mkdir(parents=True, exist_ok=True)
            script.write_text("class CountNotifier {}")
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(dev_demo, "captured", fetched)

    def test_what_was_edited_is_moved_aside_and_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        project = tmp_path / "build" / "demo"
        dev_demo._lay_out_project(project)
        script = project / dev_demo.SCRIPT
        for number in (1, 2):
            script.write_text(f"class Mine{number} {{}}")
            (project / "Assets" / "New.cs").write_text("class New {}")
            capsys.readouterr()
            dev_demo._lay_out_project(project)
            aside = project.with_name(f"demo-{number}")
            assert aside.name in capsys.readouterr().out
            assert (aside / dev_demo.SCRIPT).read_text() == f"class Mine{number} {{}}"
            assert (aside / "Assets" / "New.cs").read_text() == "class New {}"
            assert script.read_text() == "class CountNotifier {}"
            assert not (project / "Assets" / "New.cs").exists()

    def test_what_was_not_edited_stays_with_its_history(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        project = tmp_path / "build" / "demo"
        dev_demo._lay_out_project(project)
        history = project / "Library" / "SnippetEngine" / "history"
        history.mkdir(parents=True)
        (history / "1.json").write_text("{}")
        before = _tree(tmp_path)
        capsys.readouterr()
        dev_demo._lay_out_project(project)
        assert _tree(tmp_path) == before
        assert "before" not in capsys.readouterr().out


def test_ctrl_c_while_the_tests_load_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    done = subprocess.run(
        [sys.executable, "-m", "tests", "-p", "interrupted", "--collect-only"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stdout + done.stderr
