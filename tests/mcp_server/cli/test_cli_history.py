"""``unity-cli history`` and ``unity-cli undo``: nobody copies a hash."""

from __future__ import annotations

import errno
import json
import re
import shlex
import subprocess
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, SOURCE, edit, new_script_and_edit, run_cli
from transcript import run_here

from mcp_server.cli.commands import history_commands
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.script_tools import check_arguments
from snippet_engine.storage.system.folder import Folder

OTHER = "Assets/Other.cs"
SET = new_script_and_edit(OTHER)


def call(project: Path, tool: str, params: dict[str, Any]) -> dict[str, Any]:
    done = run_cli(
        "tool", "call", tool, "--json", json.dumps(params), "--output", "json", cwd=project
    )
    assert done.returncode == 0, done.stdout
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def told(done: subprocess.CompletedProcess[str], code: int = 0) -> str:
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_what_was_done_is_listed_and_taken_back_one_by_one(project: Path) -> None:
    call(project, "edit_snippet", edit("apply"))
    once = (project / SCRIPT).read_bytes()
    instruction = {
        "operation": "insert",
        "anchor": {"type": "text", "target": "speed > 20", "position": "after"},
        "newText": "0",
    }
    changes = [SET["changes"][0], {"path": SCRIPT, "instructions": [instruction]}]
    answer = call(project, "edit_scripts", {"mode": "apply", "changes": changes})
    shown = told(run_cli("history", cwd=project)).splitlines()
    assert f"unity-cli  change {answer['changeId']}" in shown[0]
    assert shown[1:3] == [
        f"  created {OTHER}: +class Made {{ }}",
        f"  edited {SCRIPT}: -        if (speed > 20)",
    ]
    assert shown[3] == "    +        if (speed > 200)"
    assert re.search(r"unity-cli  change [0-9a-f]{12}  \(changed since\)$", shown[4])
    assert "changeId" not in told(run_cli("history", "--limit", "1", cwd=project)).split("\n")[0]

    dry = told(run_cli("--dry-run", "undo", cwd=project))
    assert dry.startswith("dry run: this would be undone\n")
    assert f"created {OTHER}" in dry
    assert (project / OTHER).exists()

    assert answer["changeId"] in told(run_cli("undo", cwd=project))
    assert not (project / OTHER).exists()
    assert (project / SCRIPT).read_bytes() == once
    assert f"undone {SCRIPT}" in told(run_cli("undo", cwd=project))
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert "nothing to undo" in told(run_cli("undo", cwd=project), 1)
    assert told(run_cli("history", cwd=project)) == "The history is empty.\n"


@pytest.mark.parametrize(("command", "most"), [("history", 30), ("undo", 10)])
def test_more_time_than_a_tool_may_take_is_as_much_as_it_may(
    project: Path, command: str, most: int
) -> None:
    call(project, "edit_snippet", edit("apply"))
    assert SCRIPT in told(run_cli(command, "--timeout", f"{most + 1}", cwd=project))


def test_what_was_left_behind_is_told_and_bars_nothing(project: Path) -> None:
    lone = f"Assets/.Lost.cs.{'0123456789abcdef'}.0.tmp"
    (project / lone).write_text("class Lost { }\n")
    call(project, "edit_snippet", edit("apply"))
    listed = told(run_cli("history", cwd=project))
    assert f"\n  {lone}\n" in listed
    assert listed.startswith("Some writes were interrupted, and their records are gone. ")
    assert SCRIPT in told(run_cli("undo", cwd=project))
    (project / lone).unlink()
    assert told(run_cli("history", cwd=project)) == "The history is empty.\n"


@pytest.mark.parametrize("where", [".", "Assets"])
def test_a_path_s_last_change_from_any_folder(project: Path, where: str) -> None:
    """Also of a script that isn't there any more."""
    call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"][:1]})
    call(project, "edit_snippet", edit("apply"))
    folder = project / where
    path = OTHER if where == "." else "Other.cs"
    assert OTHER in told(run_cli("undo", path, cwd=folder))
    assert not (project / OTHER).exists()
    assert (project / SCRIPT).read_bytes() != SOURCE
    assert "no change of" in told(run_cli("undo", path, cwd=folder), 1)
    listed = json.loads(told(run_cli("history", "--output", "json", cwd=folder)))
    assert [each["files"][0]["path"] for each in listed["changes"]] == [SCRIPT]


def test_a_change_by_its_id(project: Path) -> None:
    first = call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"][:1]})
    call(project, "edit_snippet", edit("apply"))
    undone = json.loads(told(run_cli("undo", first["changeId"], "--output", "json", cwd=project)))
    assert undone["changeId"] == first["changeId"]
    assert not (project / OTHER).exists()
    assert "No change" in told(run_cli("undo", first["changeId"], cwd=project), 2)


def test_what_is_told_is_what_can_be_typed(project: Path) -> None:
    call(project, "edit_snippet", edit("apply"))
    alone = told(run_cli("undo", "Player.cs", cwd=project), 1)
    assert f"Send {SCRIPT} instead." in alone
    assert '"limit"' not in alone  # that is a request of a tool
    assert "run unity-cli check" in told(run_cli("undo", cwd=project))


def test_a_single_edit_by_its_id_and_the_time_of_here(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = project / OTHER
    second.write_bytes(SOURCE)
    for path in (SCRIPT, OTHER):  # which lead to the same text
        call(project, "edit_snippet", {**edit("apply"), "path": path})
    if hasattr(time, "tzset"):
        monkeypatch.setenv("TZ", "XYZ-05:30")
        time.tzset()
    shown = told(run_cli("history", cwd=project)).splitlines()
    heads = [line for line in shown if "change" in line]
    listed = json.loads(told(run_cli("history", "--output", "json", cwd=project)))["changes"]
    for line, entry in zip(heads, listed, strict=True):
        here = datetime.fromisoformat(entry["time"]).astimezone()
        assert line.startswith(f"{here:%Y-%m-%d %H:%M:%S}  unity-cli  change ")
    older = heads[1].split()[-1]
    assert f"undone {SCRIPT}" in told(run_cli("undo", older.upper(), cwd=project))
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert second.read_bytes() != SOURCE
    assert "The history has no change 0123456789ab" in told(
        run_cli("undo", "0123456789ab", cwd=project), 2
    )


def test_another_user_s_change_is_told_as_that_user_s(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(project, "edit_snippet", edit("apply"))

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as barred:
        for name in ("read", "first_line"):
            barred.setattr(Folder, name, refuse)
        barred.setattr(Path, "owner", lambda _path: "alice")
        refused = told(run_cli("undo", cwd=project), 1)
    assert "the user alice's, and this user may not read it" in refused
    assert "Have that user undo it." in refused
    assert "delete" not in refused
    assert f"undone {SCRIPT}" in told(run_cli("undo", cwd=project))


@pytest.mark.parametrize("of_set", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_who_is_overtaken_by_another_undo_is_told_so(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    of_set: bool,
    named: bool,
) -> None:
    """What was asked for was right when it began: that is no wrong usage."""
    speed(project, "1")
    before = (project / SCRIPT).read_bytes()
    if of_set:
        changes = [*SET["changes"][:1], {"path": SCRIPT, "instructions": [faster("2")]}]
        what = call(project, "edit_scripts", {"mode": "apply", "changes": changes})
    else:
        speed(project, "2")
    opened = history_commands.open_caller
    others: list[Any] = []

    def overtaken(*arguments: Any) -> Any:
        caller = opened(*arguments)
        ask = caller.call

        def after_another(spec: Any, params: Any) -> Any:
            answer = ask(spec, params)
            if not others:
                undo = CATALOG["undo_snippet"]
                newest = check_arguments(undo, answer.structured["changes"][0]["undo"])
                others.append(ask(undo, newest))
            return answer

        monkeypatch.setattr(caller, "call", after_another)
        return caller

    monkeypatch.setattr(history_commands, "open_caller", overtaken)
    monkeypatch.chdir(project)
    code, _, said = run_here(capsys, "undo", *([SCRIPT] if named else []))
    assert code == 1, said
    assert "Invalid parameters" not in said
    assert "Another undo took " in said
    assert "repeat the command" in said
    assert not of_set or what["changeId"] in said
    assert (project / SCRIPT).read_bytes() == before


def test_what_somebody_changed_since_is_not_undone_nor_another_in_its_place(project: Path) -> None:
    call(project, "edit_snippet", edit("apply"))
    call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"][:1]})
    (project / OTHER).write_text("class Theirs { }\n")
    before = (project / SCRIPT).read_bytes()
    assert OTHER in told(run_cli("undo", cwd=project), 1)
    assert (project / OTHER).read_text() == "class Theirs { }\n"
    assert (project / SCRIPT).read_bytes() == before


def faster(text: str) -> dict[str, Any]:
    """The instruction that sets the script's speed."""
    anchor = {"type": "text", "target": "if (speed > ", "position": "after"}
    return {"operation": "insert", "anchor": anchor, "newText": text}


def speed(project: Path, text: str) -> dict[str, Any]:
    """Set the script's speed, by a plain edit."""
    params = {"path": SCRIPT, "mode": "apply", "instructions": [faster(text)]}
    return call(project, "edit_snippet", params)


def typed(said: str) -> list[list[str]]:
    """The undos that a text says to type, as arguments."""
    return [shlex.split(each) for each in re.findall(r"unity-cli (undo [\w./]+\w)", said)]


def test_what_was_put_back_by_hand_leads_on_to_the_change_before(project: Path) -> None:
    speed(project, "1")
    once = (project / SCRIPT).read_bytes()
    speed(project, "2")
    (project / SCRIPT).write_bytes(once)
    for arguments in ([], ["--dry-run"]):
        said = told(run_cli(*arguments, "undo", cwd=project), 1)
        assert typed(said)[0] == ["undo", SCRIPT], said
        assert "later changes" not in said
        assert "Changed since" not in said
        assert "sha256" not in said
    assert (project / SCRIPT).read_bytes() == once
    assert f"undone {SCRIPT}" in told(run_cli("undo", SCRIPT, cwd=project))
    assert (project / SCRIPT).read_bytes() == SOURCE
    (project / SCRIPT).write_bytes(SOURCE + b"// theirs\n")
    said = told(run_cli("undo", SCRIPT, cwd=project), 1)
    assert typed(said) == []
    assert "hash" not in said  # which nobody has named
    assert (project / SCRIPT).read_bytes() == SOURCE + b"// theirs\n"


def test_a_script_that_is_gone_bars_no_way_to_what_came_before(project: Path) -> None:
    made = call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"][:1]})
    speed(project, "1")
    edited = (project / SCRIPT).read_bytes()
    (project / SCRIPT).unlink()
    (project / "Assets/Scripts/Players.cs").write_bytes(b"class Players { }\n")
    said = told(run_cli("undo", cwd=project), 1)
    assert f"{SCRIPT} was deleted or moved since" in said
    assert "Players" not in said
    assert "Check the path" not in said
    assert f"if you have it: {SCRIPT}" in said
    assert typed(said) == [["undo", made["changeId"]]]
    (project / SCRIPT).write_bytes(edited)
    assert f"undone {SCRIPT}" in told(run_cli("undo", cwd=project))


def test_no_change_set_is_offered_whose_script_is_gone(project: Path) -> None:
    made = call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"]})
    of_set, other = (project / SCRIPT).read_bytes(), (project / OTHER).read_bytes()
    speed(project, "1")
    (project / SCRIPT).write_bytes(of_set)
    said = told(run_cli("undo", cwd=project), 1)
    assert typed(said)[0] == ["undo", made["changeId"]]
    assert "{" not in said
    (project / OTHER).unlink()
    for what in ([], [SCRIPT], [made["changeId"]]):
        said = told(run_cli("undo", *what, cwd=project), 1)
        assert typed(said) == [], said
        assert "offer" not in said
        assert f"if you have it: {OTHER}" in said
    (project / OTHER).write_bytes(other)
    told(run_cli("undo", made["changeId"], cwd=project))
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_an_order_is_told_in_commands_that_get_there(project: Path) -> None:
    made = call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"]})
    speed(project, "1")
    speed(project, "2")
    said = told(run_cli("undo", OTHER, cwd=project), 1)
    assert "{" not in said
    commands = typed(said)
    assert commands == [["undo", SCRIPT], ["undo", SCRIPT], ["undo", made["changeId"]]]
    for command in commands:
        told(run_cli(*command, cwd=project))
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / OTHER).exists()


def test_what_bars_a_newer_change_is_named_and_put_back_leads_on(project: Path) -> None:
    path = project / OTHER
    path.write_bytes(b"class Other { int a; }\n")

    def edited(old: str, new: str, *paths: str) -> str:
        anchor = {"type": "text", "target": old}
        instruction = {"operation": "replace", "anchor": anchor, "newText": new}
        changes = [{"path": each, "instructions": [instruction]} for each in paths]
        answer = call(project, "edit_scripts", {"mode": "apply", "changes": changes})
        change_id: str = answer["changeId"]
        return change_id

    (project / SCRIPT).write_bytes(b"class Player { int a; }\n")
    first = edited("int a", "int b", SCRIPT)
    newer = edited("; }", "; int c; }", SCRIPT, OTHER)
    left = path.read_bytes()
    path.write_bytes(b"class Theirs { }\n")
    said = told(run_cli("undo", first, cwd=project), 1)
    assert f"first restore the text after the newer change, if you have it: {OTHER}" in said
    path.write_bytes(left)
    said = told(run_cli("undo", first, cwd=project), 1)
    commands = [each.split()[1:] for each in said.splitlines() if each.startswith("  unity-cli ")]
    assert commands == [["undo", newer], ["undo", first]]
    for each in commands:
        told(run_cli(*each, cwd=project))


def test_a_path_outside_of_the_project(project: Path) -> None:
    assert "history" not in told(run_cli("history", "../x.cs", cwd=project), 1)
    assert "absolute" in told(run_cli("undo", "/etc/x.cs", cwd=project), 1)


@pytest.mark.parametrize("command", ["undo", "history"])
def test_a_misspelt_path_is_told_the_one_that_was_meant(project: Path, command: str) -> None:
    call(project, "edit_snippet", edit("apply"))
    misspelt = SCRIPT.replace("Player", "Plyer")
    said = told(run_cli(command, misspelt, cwd=project), 1)
    assert (
        f"{misspelt} does not exist, and the history has no change of it. Did you mean {SCRIPT}?"
    ) in said


def cut_short(project: Path, away: Path) -> str:
    """Leave the newest change as a process that died left it, with its folder away; its id."""
    (project / "Assets/New").mkdir()
    (project / "Assets/New/Other.cs").write_text("class Other { }\n")
    anchor = {"type": "symbol", "symbolPath": "Other", "position": "body_end"}
    more = {"operation": "insert", "anchor": anchor, "newText": "int more;"}
    change = {"path": "Assets/New/Other.cs", "instructions": [more]}
    answer = call(project, "edit_scripts", {"mode": "apply", "changes": [change]})
    state = project / "Library/SnippetEngine"
    entry = max((state / "history").iterdir())
    record = state / f"pending/{'0' * 32}-{answer['changeId']}.set"
    record.write_bytes(entry.read_bytes()[:-1] + b" ")
    entry.unlink()
    (project / "Assets/New").rename(away)
    return str(answer["changeId"])


def test_what_is_unfinished_is_told_before_anything_older_is_taken(
    project: Path, tmp_path: Path
) -> None:
    call(project, "edit_snippet", edit("apply"))
    edited = (project / SCRIPT).read_bytes()
    away = tmp_path / "away"
    change_id = cut_short(project, away)
    shown = told(run_cli("history", cwd=project)).splitlines()
    assert shown[0].startswith(
        f"Unfinished: Change {change_id} was cut short; it waits for Assets/New"
    )
    assert shown[1] == "  Assets/New/Other.cs"
    assert SCRIPT in shown[3]
    refused = told(run_cli("undo", cwd=project), 1)
    assert change_id in refused
    assert refused.rstrip().endswith(
        f"To undo another change, of {SCRIPT}: unity-cli undo {SCRIPT}"
    )
    assert (project / SCRIPT).read_bytes() == edited
    dry = told(run_cli("--dry-run", "undo", SCRIPT, cwd=project))
    assert dry.startswith("dry run: this would be undone")

    bundle = run_cli("bundle", "from-history", cwd=project)
    assert bundle.returncode == 2
    assert bundle.stdout == ""
    assert (
        f"can't be bundled: Assets/New/Other.cs: Change {change_id} was cut short" in bundle.stderr
    )
    partial = run_cli("bundle", "from-history", "--partial", cwd=project)
    assert partial.returncode == 0, partial.stderr
    assert change_id in partial.stderr
    assert [each["path"] for each in json.loads(partial.stdout)["changes"]] == [SCRIPT]

    away.rename(project / "Assets/New")
    assert change_id in told(run_cli("undo", cwd=project))
    assert (project / "Assets/New/Other.cs").read_text() == "class Other { }\n"


def test_a_damaged_change_is_told_before_anything_older_is_taken(project: Path) -> None:
    call(project, "edit_snippet", edit("apply"))
    call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"][:1]})
    entry = max((project / "Library/SnippetEngine/history").iterdir())
    entry.write_bytes(b"?" + entry.read_bytes()[1:])
    shown = told(run_cli("history", cwd=project)).splitlines()
    place = f"Library/SnippetEngine/history/*-{entry.name[-20:]}"
    assert shown[0].endswith(f"(the entry is damaged: {place})")
    refused = told(run_cli("undo", cwd=project), 1)
    assert f"the entry is damaged: {place}. To give it up, delete that file." in refused
    assert refused.rstrip().endswith(
        f"To undo another change, of {SCRIPT}: unity-cli undo {SCRIPT}"
    )
    # Of the damaged one's own file there is none.
    own = told(run_cli("undo", OTHER, cwd=project), 1)
    assert f"The last change of {OTHER} can't be undone" in own
    assert own.rstrip().endswith("To give it up, delete that file.")
    assert (project / OTHER).exists()
    entry.unlink()
    assert f"undone {SCRIPT}" in told(run_cli("undo", cwd=project))


def emptied(project: Path) -> Path:
    """The record of a deletion whose writer died in its middle, of which nothing is left."""
    record = project / f"Library/SnippetEngine/pending/{'0' * 32}-{'a' * 16}.set"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_bytes(b"")
    gone = project / OTHER
    gone.with_name(f".{gone.name}.{'a' * 16}.0.tmp").write_bytes(b"class Deleted { }\n")
    return record


def test_a_record_that_tells_nothing_is_told_with_the_texts_that_are_left(project: Path) -> None:
    record = emptied(project)
    temporary = f"{Path(OTHER).parent.as_posix()}/.{Path(OTHER).name}.{'a' * 16}.0.tmp"
    shown = told(run_cli("history", cwd=project)).splitlines()
    assert shown[0].startswith(
        f"Unfinished: Change {'a' * 16} was cut short; its record is damaged"
    )
    assert shown[1:3] == [f"  {OTHER}", f"  {temporary}"]
    listed = json.loads(told(run_cli("history", "--output", "json", cwd=project)))
    assert listed["unfinished"][0]["temporaryFiles"] == [temporary]
    refused = told(run_cli("undo", cwd=project), 1)
    assert f".NAME.{'a' * 16}.*tmp" in refused
    examined = run_cli("doctor", "--output", "json", cwd=project)
    checks = {each["name"]: each for each in json.loads(examined.stdout)["checks"]}
    assert checks["script writes"]["details"] == [record.name]
    assert "history" in checks["script writes"]["advice"]
    assert record.exists()
    assert (project / temporary).exists()


def test_what_was_taken_back_is_told_and_not_undone_again(project: Path) -> None:
    first = {"path": "Assets/First.cs", "create": "class First { }\n"}
    call(project, "edit_scripts", {"mode": "apply", "changes": [first]})
    changed = call(project, "edit_scripts", {"mode": "apply", "changes": SET["changes"]})
    state = project / "Library/SnippetEngine"
    entry = max((state / "history").iterdir())
    data = entry.read_bytes()
    entry.unlink()
    # As its writer left it that died right after the last step; then somebody saved.
    (state / f"pending/{'0' * 32}-{changed['changeId']}.set").write_bytes(data[:-1] + b" ")
    (project / SCRIPT).write_bytes(b"// theirs\n")
    shown = told(run_cli("history", cwd=project))
    assert f"Unfinished: Change {changed['changeId']} was cut short; it is unfinished" in shown
    by_id = told(run_cli("undo", changed["changeId"], cwd=project), 2)
    assert "An earlier, unfinished change was taken back first: 1 file " in by_id
    shown = told(run_cli("history", cwd=project))
    assert (
        f"Change {changed['changeId']} was taken back: during the write others changed these files"
        in shown
    )
    assert f"  edited {SCRIPT}" in shown
    assert (project / SCRIPT).read_bytes() == b"// theirs\n"
    assert f"was rolled back, except for {SCRIPT}, which others changed. unity-cli history" in by_id
    # The last that is in place is the one before it.
    assert "deleted Assets/First.cs" in told(run_cli("undo", cwd=project))
