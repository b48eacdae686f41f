"""``unity-cli client`` as a real process, in a home folder of the test's own."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
from client_home import Home
from running_server import RunningServer, environment, free_port, make_project, run_cli
from this_system import needs_posix
from user_state import state_in

from mcp_server import clients
from mcp_server.calls.server.server_file import project_of_url
from mcp_server.clients.json_document import parse_json
from mcp_server.clients.table import CLIENTS, Format

URL = "http://127.0.0.1:48091/mcp"


def test_show_writes_nothing(home: Home) -> None:
    over_stdio = json.loads(home.client("show", "zed", "--output=json").stdout)
    assert Path(over_stdio["entry"]["command"]).is_file()
    assert over_stdio["entry"]["args"] == ["mcp"]
    assert list(home.folder.iterdir()) == []


def test_over_http_the_port_is_that_of_the_projects_own_server(home: Home) -> None:
    project, other = (make_project(home.folder / name) for name in ("game", "other"))
    (project / "Library").mkdir()
    named = ("cursor", "--http", "--output", "json", "--project", str(project))
    with RunningServer(cwd=project) as server:
        for command in ("show", "install"):
            url = json.loads(home.client(command, *named).stdout)["entry"]["url"]
            assert url.split("?")[0] == server.url
            assert project_of_url(url) == project.as_posix()
        elsewhere = ("--http", "--project", str(other), "--url", server.url)
        told = home.client("install", "kiro", *elsewhere).stderr
    assert f"the server at {server.url} works in {project}" in told
    assert f"unity-cli serve --project {other}, and run this again" in told


def test_every_other_key_and_comment_is_kept(home: Home) -> None:
    text = (
        "// my settings\n{\n"
        '  "theme": "One Dark", // dark\n'
        '  "context_servers": {\n'
        '    "other": {"command": "x", "args": []},\n'
        '    /* ours */ "unity": {"command": "old/unity-cli", "args": ["mcp"], "timeout": 5},\n'
        "  },\n}\n"
    )
    file = home.written(".config/zed/settings.json", text)
    file.chmod(0o640)
    assert home.client("install", "zed", "--http").returncode == 0
    changed = file.read_text(encoding="utf-8")
    old = '{"command": "old/unity-cli", "args": ["mcp"], "timeout": 5}'
    head, tail = text.split(old)
    assert changed.startswith(head)
    assert changed.endswith(tail)
    assert parse_json(changed)["context_servers"]["unity"] == {"url": URL, "timeout": 5}
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("path", "client", "content", "why"),
    [
        (".cursor/mcp.json", "cursor", b'{"mcpServers": {', "line 1, column 17"),
        (".cursor/mcp.json", "cursor", b'{"mcpServers": 5}', "mcpServers is not an object"),
        (
            ".cursor/mcp.json",
            "cursor",
            b"\xff\xfe{\x00}\x00",
            "is not UTF-8 text. Save it as UTF-8",
        ),
        (".codex/config.toml", "codex", b"model = ", "not TOML"),
        (".codex/config.toml", "codex", b"mcp_servers = 1", "mcp_servers is not a table"),
    ],
)
def test_a_broken_file_is_told_and_left_alone(
    home: Home, path: str, client: str, content: bytes, why: str
) -> None:
    file = home.folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    done = home.client("install", client, "--output", "json")
    assert done.returncode == 1
    message = json.loads(done.stdout)["error"]["message"]
    assert why in message
    assert len(message) <= 200
    assert file.read_bytes() == content


def test_a_symbolic_link_stays_one(home: Home) -> None:
    real = home.written("dotfiles/mcp.json", "")
    link = home.folder / ".cursor/mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    assert home.client("install", "cursor", "--http").returncode == 0
    assert link.is_symlink()
    assert URL in real.read_text(encoding="utf-8")
    assert "no longer has the entry" in home.client("uninstall", "cursor").stdout
    assert link.is_symlink()
    assert parse_json(real.read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize("linked", [".cursor", ".cursor/mcp.json"])
@pytest.mark.parametrize("beside", ["nowhere", "there"])
def test_nothing_is_made_behind_a_link_that_leads_nowhere(
    home: Home, tmp_path: Path, linked: str, beside: str
) -> None:
    (tmp_path / "there").mkdir()
    link = home.folder / linked
    link.parent.mkdir(exist_ok=True)
    target = tmp_path / beside / "configuration"
    link.symlink_to(target)
    before = sorted(tmp_path.rglob("*"))
    done = home.client("install", "cursor")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{link} is a link to {target}, which is missing" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert home.client("uninstall", "cursor").returncode == 0
    assert sorted(tmp_path.rglob("*")) == before


@needs_posix
@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"HOME": ""}, "HOME is empty. Set it to your home folder's path, or unset it."),
        ({"HOME": "somewhere"}, "HOME is somewhere, a relative path."),
        ({"XDG_CONFIG_HOME": "."}, "XDG_CONFIG_HOME is ., a relative path."),
        ({"XDG_STATE_HOME": "somewhere"}, "XDG_STATE_HOME is somewhere, a relative path."),
    ],
)
def test_without_a_place_for_its_user_s_files_nothing_is_written(
    tmp_path: Path, variables: dict[str, str], told: str
) -> None:
    (tmp_path / "home").mkdir()
    env = {**Home(tmp_path / "home", tmp_path).variables, **variables}
    for command in ("install codex", "uninstall codex", "show codex", "list"):
        done = run_cli("client", *command.split(), cwd=tmp_path, env=env)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
        assert "Nothing was written." in done.stderr
        assert [each.name for each in tmp_path.rglob("*")] == ["home"]


@needs_posix
def test_a_client_s_own_variable_must_be_a_whole_path_too(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path)
    env = {**home.variables, "CODEX_HOME": "./x"}
    assert run_cli("client", "install", "cursor", cwd=tmp_path, env=env).returncode == 0
    done = run_cli("client", "install", "codex", cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert "CODEX_HOME is ./x, a relative path." in done.stderr
    assert not (tmp_path / "x").exists()


@needs_posix
@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize("state", ["", "state"])
def test_no_home_folder_is_made(tmp_path: Path, command: str, state: str) -> None:
    gone = tmp_path / "gone"
    env = {**Home(gone, tmp_path).variables, "XDG_STATE_HOME": state and str(tmp_path / state)}
    done = run_cli("client", command, "cursor", cwd=tmp_path, env=env)
    if command == "install" or not state:
        assert (done.returncode, done.stdout) == (1, "")
        assert f"the home folder {gone} does not exist. Set HOME" in done.stderr
    assert not gone.exists()


def test_a_project_s_own_configuration(home: Home, project: Path) -> None:
    arguments = ("install", "vscode", "--scope", "project", "--project", str(project))
    done = home.client(*arguments, "--url", "http://127.0.0.1:5000")
    assert done.returncode == 0
    written = json.loads((project / ".vscode/mcp.json").read_text(encoding="utf-8"))
    entry = written["servers"]["unity"]
    assert entry["args"] == ["mcp", "--port", "5000", "--project", str(project)]


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["show", "curser"], 2, "Did you mean cursor?"),
        (["install", "emacs"], 2, "Known: claude-code"),
        (["install", "claude-desktop", "--http"], 2, "Leave --http out"),
        (["install", "cursor", "--url", "http://games.example/mcp"], 2, "--http"),
        (["install", "cursor", "--http", "--url", "nope"], 2, "not an http URL"),
        (["install", "cursor", "--http", "--transport", "stdio"], 2, "exclude each other"),
        (["uninstall", "curser"], 2, "Did you mean cursor?"),
        (["install", "windsurf", "--scope", "project"], 2, "--scope user"),
        (["install", "cursor", "--scope", "project"], 1, "--project"),
        (["install", "claude-desktop", "--skill"], 2, "leave --skill out"),
        (["install", "zed", "--guard"], 2, "Zed has no hooks."),
        (["install", "cursor", "--transport", "http", "--token-file", "nope"], 2, "nope"),
        (["install", "cursor", "--token-file", "nope"], 2, "nope"),
        (["show", "zed", "--token-env", "--http"], 2, "--token-file"),
        *(
            ([command, "cursor", "--name", name], 2, "--name")
            for command in ("install", "show")
            for name in ("", " ", "a b", "a\nb", 'a"b', "x" * 65, "ü", "a\n")
        ),
    ],
)
def test_what_can_t_be(home: Home, arguments: list[str], code: int, why: str) -> None:
    done = home.client(*arguments)
    assert done.returncode == code
    assert why in done.stderr
    assert list(home.folder.iterdir()) == []


def test_what_is_installed_starts_by_itself(home: Home, project: Path) -> None:
    """The command that is written, run as a client runs it: it speaks MCP."""
    done = home.client("install", "cursor", "--project", str(project), "--url", free_url())
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((home.folder / ".cursor/mcp.json").read_text(encoding="utf-8"))
    entry = document["mcpServers"]["unity"]
    with subprocess.Popen(
        [entry["command"], *entry["args"]],
        cwd=home.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(HOME=str(home.folder), **state_in(home.folder / "state")),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(60) == 0
    assert answer["result"]["serverInfo"]["name"] == "unity-snippet"


@pytest.mark.parametrize(
    ("client", "found"),
    [
        ("cursor", "{}"),
        ("cursor", '{"theme": "dark"}\n'),
        ("cursor", '{\r\n  "theme": "dark"\r\n}\r\n'),
        ("zed", '\ufeff{\n  "theme": "dark"\n}\n'),
        ("zed", "// mine\n{}\n"),
        ("codex", '\ufeffmodel = "o3"\n'),
    ],
)
def test_uninstall_gives_back_what_install_found(home: Home, client: str, found: str) -> None:
    place = {"cursor": ".cursor/mcp.json", "zed": ".config/zed/settings.json"}
    file = home.written(place.get(client, ".codex/config.toml"), found)
    assert home.client("install", client, "--http").returncode == 0
    changed = file.read_bytes().decode()
    assert "unity" in changed
    assert changed[0] == found[0]
    assert home.client("uninstall", client).returncode == 0
    assert file.read_bytes() == found.encode()


@pytest.mark.parametrize("options", [[], ["--http"]])
def test_a_project_is_written_by_its_real_path(
    home: Home, project: Path, options: list[str]
) -> None:
    (home.folder / "x").mkdir()
    (home.folder / "x").rename(project / "x")
    named = os.path.relpath(f"{project}/x/../", home.folder)
    roundabout = f"{project}/x/../../{project.name}"
    for name in (named, roundabout):
        assert home.client("install", "cursor", *options, "--project", name).returncode == 0
        entry = json.loads((home.folder / ".cursor/mcp.json").read_text("utf-8"))
        assert ".." not in json.dumps(entry)
        assert project.name in json.dumps(entry)


def free_url() -> str:
    return f"http://127.0.0.1:{free_port()}/mcp"


@pytest.mark.parametrize("command", ["show", "install"])
def test_without_a_project_a_warning_says_what_the_client_will_do(home: Home, command: str) -> None:
    done = home.client(command, "cursor")
    assert done.returncode == 0
    assert ("--project PATH" in done.stderr) == (command == "install")
    assert ("the entry names no project" in done.stderr) == (command == "install")
    told = json.loads(home.client("install", "kiro", "--output", "json").stdout)["warnings"]
    assert any("--project PATH" in warning for warning in told)
    over_http = home.client("install", "windsurf", "--http")
    assert over_http.returncode == 0
    assert "the address names no project" in over_http.stderr


def test_over_http_the_address_names_the_project(home: Home, project: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}/mcp"  # another server may have the usual port
    named = ("--http", "--project", str(project), "--url", address)
    done = home.client("install", "windsurf", *named)
    assert (done.returncode, done.stderr) == (0, "")
    (config,) = home.folder.rglob("mcp_config.json")
    url = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]["unity"]["serverUrl"]
    assert project_of_url(url) == project.as_posix()
    assert "has the entry already" in home.client("install", "windsurf", *named).stdout
    other = project.parent / "other"
    (other / "Assets").mkdir(parents=True)
    elsewhere = ("--http", "--project", str(other), "--url", address)
    refused = home.client("install", "windsurf", *elsewhere)
    assert refused.returncode == 1
    assert f"is for the project {project.as_posix()}" in refused.stderr
    # A file that a team shares can't name a folder of one machine.
    shared = home.client("show", "cursor", "--scope", "project", *named)
    assert "project=" not in shared.stdout


@pytest.mark.parametrize("command", ["install", "uninstall", "show"])
def test_what_is_no_project_is_refused(home: Home, project: Path, command: str) -> None:
    last = "--http" if command == "show" else "--dry-run"
    for more in ((), ("--scope", "project"), (last,)):
        for wrong, why in (
            (project / "nope", "there is no such folder"),
            (project / "Assets", "it has no Assets/"),
        ):
            done = home.client(command, "cursor", "--project", str(wrong), *more)
            assert (done.returncode, done.stdout) == (2, "")
            assert f"--project {wrong} is no Unity project: {why}" in done.stderr
    assert list(home.folder.iterdir()) == []


def test_a_project_without_settings_and_a_file_that_is_shared(home: Home, project: Path) -> None:
    (project / "ProjectSettings").rename(project / "Other")
    wrong = home.client("install", "cursor", "--project", str(project))
    assert f"warning: {project} has no ProjectSettings/" in wrong.stderr
    (project / "Other").rename(project / "ProjectSettings")
    shared = home.client("install", "cursor", "--scope", "project", "--project", str(project))
    assert "folders of this machine" in shared.stderr


@pytest.mark.parametrize("name", ["codex", "cursor", "opencode", "vscode", "zed"])
def test_uninstall_takes_out_what_install_put_in(home: Home, name: str) -> None:
    client = CLIENTS[name]
    if client.format is Format.TOML:
        text = '# mine\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\nnotifications = true\n'
    else:
        text = (
            f'{{\n  // mine\n  "{client.section}": {{"other": {{"command": "x"}}}},\n  "a": 1\n}}\n'
        )
    listed = json.loads(home.client("list", "--output", "json").stdout)
    file = Path(next(row["file"] for row in listed if row["name"] == name))
    home.written(file.relative_to(home.folder).as_posix(), text)
    assert home.client("install", name).returncode == 0
    dry = json.loads(home.client("uninstall", name, "--dry-run", "--output", "json").stdout)
    assert (dry["changed"], dry["written"]) == (True, False)
    done = json.loads(home.client("uninstall", name, "--output", "json").stdout)
    assert (done["changed"], done["written"], done["file"]) == (True, True, str(file))
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("transport", ["--http", "--transport=stdio"])
@pytest.mark.parametrize("name", CLIENTS)
def test_a_file_that_an_install_made_goes_with_it(home: Home, name: str, transport: str) -> None:
    client = CLIENTS[name]
    if client.http is None:
        transport = "--transport=stdio"
    install, uninstall = ("install", name, transport), ("uninstall", name)
    dry = json.loads(home.client(*install, "--dry-run", "--output=json").stdout)
    assert (dry["dry_run"], dry["changed"], dry["written"]) == (True, True, False)
    assert list(home.folder.iterdir()) == []
    made = json.loads(home.client(*install, "--output", "json").stdout)
    assert (made["changed"], made["written"]) == (True, True)
    file = Path(made["file"])
    text = file.read_text(encoding="utf-8")
    document = tomllib.loads(text) if client.format is Format.TOML else json.loads(text)
    assert document == {client.section: {"unity": made["entry"]}}
    before = file.stat()
    again = json.loads(home.client(*install, "--output", "json").stdout)
    assert (again["changed"], again["written"]) == (False, False)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    shown = home.client(*uninstall, "--dry-run").stdout
    assert shown.startswith(f"dry run: {file} was not removed\n")
    assert file.read_text(encoding="utf-8") == text
    done = json.loads(home.client(*uninstall, "--output", "json").stdout)
    assert (done["changed"], done["written"], done["removed"]) == (True, True, True)
    assert list(home.folder.iterdir()) == []
    again = json.loads(home.client(*uninstall, "--output", "json").stdout)
    assert (again["changed"], again["written"], "removed" in again) == (False, False, False)


def test_of_two_servers_the_last_takes_the_file_along(home: Home) -> None:
    file = home.folder / ".cursor/mcp.json"
    home.client("install", "cursor")
    home.client("install", "cursor", "--name", "tower")
    assert "no longer has the entry" in home.client("uninstall", "cursor").stdout
    assert "removed: nothing else was in it" in (
        home.client("uninstall", "cursor", "--name", "tower").stdout
    )
    assert not file.exists()


def test_a_file_with_anything_of_the_users_stays(home: Home) -> None:
    home.client("install", "cursor")
    file = home.folder / ".cursor/mcp.json"
    file.write_text("// mine\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert "no longer has the entry" in home.client("uninstall", "cursor").stdout
    assert file.read_text(encoding="utf-8").startswith("// mine\n")


def token_file(home: Home) -> Path:
    file = home.written("token", "s3cret\n")
    file.chmod(0o600)
    return file


def test_a_token_from_a_file(home: Home) -> None:
    tokens = str(token_file(home))
    stdio = home.client("show", "cursor", "--transport", "stdio", "--token-file", tokens)
    assert json.dumps(tokens) in stdio.stdout
    assert "s3cret" not in stdio.stdout
    file = home.written(".cursor/mcp.json", "{}")
    file.chmod(0o644)
    arguments = ("install", "cursor", "--transport", "http", "--token-file", tokens)
    for told in (("--dry-run",), ("--output", "json")):
        done = home.client(*arguments, *told)
        assert done.returncode == 0, done.stderr
        assert "s3cret" not in done.stdout
    written = json.loads(file.read_bytes())["mcpServers"]["unity"]
    assert written["headers"] == {"Authorization": "Bearer s3cret"}
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_token_is_not_written_for_a_team(home: Home, tmp_path: Path) -> None:
    tokens = str(token_file(home))
    project = make_project(tmp_path / "game")
    shared = ("--scope", "project", "--project", str(project), "--transport", "http")
    refused = home.client("install", "claude-code", *shared, "--token-file", tokens)
    assert refused.returncode == 2
    assert "--token-env" in refused.stderr
    assert home.client("install", "claude-code", *shared, "--token-env").returncode == 0
    written = json.loads((project / ".mcp.json").read_bytes())["mcpServers"]["unity"]
    assert written["headers"] == {"Authorization": "Bearer ${UNITY_CLI_TOKEN}"}


FOREIGN = '{"command": "npx", "args": ["mcp-unity"], "env": {"API_KEY": "secret-1"}}'


def entry_of(file: Path) -> dict[str, object]:
    found = json.loads(file.read_bytes())["mcpServers"]["unity"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "entry",
    [
        FOREIGN,
        '{"url": "https://games.example/mcp"}',
        '{"url": "http://127.0.0.1:8080/mcp"}',
        '{"url": "http://127.0.0.1:8080/sse"}',
        "5",
    ],
)
def test_another_server_of_that_name_stays(home: Home, entry: str) -> None:
    text = f'{{"mcpServers": {{"unity": {entry}}}}}'
    file = home.written(".cursor/mcp.json", text)
    refused = [(("install",), "another --name"), (("install", "--dry-run"), "another --name")]
    if "8080/mcp" not in entry:  # which is one of ours, at another port
        refused.append((("uninstall",), "is not ours"))
    for (command, *options), told in refused:
        done = home.client(command, "cursor", *options)
        assert done.returncode == 1
        assert told in done.stderr
        assert "secret-1" not in done.stdout + done.stderr
        assert file.read_text(encoding="utf-8") == text
    assert home.client("install", "cursor", "--name", "unity-2").returncode == 0
    assert set(json.loads(file.read_bytes())["mcpServers"]) == {"unity", "unity-2"}


def test_what_is_replaced_leaves_nothing_of_itself(home: Home) -> None:
    file = home.written(".cursor/mcp.json", f'{{"mcpServers": {{"unity": {FOREIGN}}}}}')
    before = file.read_bytes()
    done = home.client("install", "cursor", "--replace")
    copy = file.with_name("mcp.json.before-unity-snippet")
    assert f"A copy of the old file is {copy}." in done.stdout
    assert copy.read_bytes() == before
    assert "secret-1" not in file.read_text(encoding="utf-8")
    assert "unity-cli" in str(entry_of(file)["command"])


def test_our_entry_is_not_turned_to_another_project_in_silence(home: Home, tmp_path: Path) -> None:
    first, second = (make_project(tmp_path / name) for name in ("first", "second"))
    file = home.folder / ".cursor/mcp.json"
    assert home.client("install", "cursor", "--project", str(first)).returncode == 0
    before = file.read_bytes()
    refused = home.client("install", "cursor", "--project", str(second))
    assert refused.returncode == 1
    assert f"is for the project {first}" in refused.stderr
    nameless = home.client("install", "cursor")
    assert nameless.returncode == 1
    assert f"is for the project {first}" in nameless.stderr
    assert file.read_bytes() == before
    # The same project is brought up to date, and comes over HTTP where that is asked for.
    assert home.client("install", "cursor", "--project", f"{first}/../first").returncode == 0
    assert home.client("install", "cursor", "--project", str(first), "--http").returncode == 0
    assert home.client("install", "cursor", "--project", str(second), "--replace").returncode == 0
    assert str(second) in entry_of(file)["args"]


@needs_posix
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_configuration_that_is_no_file_is_told_at_once(home: Home, kind: str) -> None:
    file = home.folder / ".cursor/mcp.json"
    file.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to(os.devnull)
    else:
        file.mkdir()
    before = file.lstat()
    told = "read" if kind == "folder" else "changed: it is not a regular file."
    for command in ("install", "uninstall"):
        done = home.client(command, "cursor")
        assert done.returncode == 1
        assert f"{file} can't be {told}" in done.stderr
        assert file.lstat() == before


def test_a_read_only_configuration_stays_as_it_is(home: Home) -> None:
    text = '{"mcpServers": {"unity": {"command": "unity-cli", "args": ["mcp"]}}}'
    file = home.written(".cursor/mcp.json", text)
    file.chmod(0o444)
    for command in ("install", "uninstall"):
        done = home.client(command, "cursor")
        assert done.returncode == 1
        assert "is read-only" in done.stderr
        assert file.read_text(encoding="utf-8") == text


SKILL = Path(clients.__file__).parent / "skill" / "SKILL.md"


def test_the_skill_is_written_beside_the_entry_and_taken_out_with_it(home: Home) -> None:
    offered = home.client("install", "claude-code")
    assert "With --skill" in offered.stdout
    dry = home.client("install", "claude-code", "--skill", "--dry-run")
    assert "SKILL.md would be written" in dry.stdout
    assert list(home.folder.rglob("SKILL.md")) == []
    written = home.client("install", "claude-code", "--skill")
    file = home.folder / ".claude/skills/unity-scripts/SKILL.md"
    assert f"skill: {file} written" in written.stdout
    assert file.read_bytes() == SKILL.read_bytes()
    again = home.client("install", "claude-code", "--skill")
    assert f"skill: {file} exists already" in again.stdout
    assert f"skill: {file} removed" in home.client("uninstall", "claude-code").stdout
    assert not file.parent.exists()


def test_a_skill_that_says_something_else_stays(home: Home) -> None:
    file = home.written(".cursor/skills/unity-scripts/SKILL.md", "mine")
    refused = home.client("install", "cursor", "--skill")
    assert refused.returncode == 1
    assert "--replace" in refused.stderr
    assert not (home.folder / ".cursor/mcp.json").exists()
    assert home.client("install", "cursor").returncode == 0
    assert home.client("uninstall", "cursor").returncode == 0
    assert file.read_text(encoding="utf-8") == "mine"
    done = home.client("install", "cursor", "--skill", "--replace")
    assert file.read_bytes() == SKILL.read_bytes()
    copy = file.with_name("SKILL.md.before-unity-snippet")
    assert f"A copy of the old file is {copy}." in done.stdout
    assert copy.read_text(encoding="utf-8") == "mine"


def test_each_scope_has_its_folder_of_skills(home: Home, project: Path) -> None:
    shared = ("--scope", "project", "--project", str(project), "--output", "json")
    told = json.loads(home.client("install", "vscode", "--skill", *shared).stdout)
    assert told["skill"] == str(project / ".github/skills/unity-scripts/SKILL.md")
    assert (project / ".github/skills/unity-scripts/SKILL.md").is_file()


def test_a_skill_that_two_clients_read_stays_until_the_last_of_them_goes(home: Home) -> None:
    for name in ("vscode", "copilot-cli"):
        assert home.client("install", name, "--skill").returncode == 0
    (file,) = home.folder.rglob("SKILL.md")
    first = home.client("uninstall", "vscode").stdout
    assert f"skill: {file} stays" in first
    assert "mcp-config.json" in first
    assert file.read_bytes() == SKILL.read_bytes()
    assert f"skill: {file} removed" in home.client("uninstall", "copilot-cli").stdout
    assert not file.parent.exists()


def test_a_skill_stays_while_another_server_of_ours_needs_it(home: Home) -> None:
    assert home.client("install", "cursor", "--skill", "--name", "tower").returncode == 0
    assert home.client("install", "cursor").returncode == 0
    (file,) = home.folder.rglob("SKILL.md")
    assert f"skill: {file} stays" in home.client("uninstall", "cursor").stdout
    done = home.client("uninstall", "cursor", "--name", "tower", "--output", "json")
    assert (json.loads(done.stdout)["written"], file.exists()) == (True, False)


def two_projects(folder: Path) -> tuple[Path, Path]:
    return make_project(folder / "A"), make_project(folder / "B")


@pytest.mark.parametrize("transport", ["--http", "--transport=stdio"])
def test_uninstall_keeps_the_server_of_another_project(
    home: Home, tmp_path: Path, transport: str
) -> None:
    one, other = two_projects(tmp_path)
    home.client("install", "cursor", transport, "--project", str(one))
    file = home.folder / ".cursor/mcp.json"
    before = file.read_bytes()
    named = one.as_posix() if transport == "--http" else str(one)
    here = Home(home.folder, other)
    # Another is named, another is found here, none is found here.
    for kept in (
        home.client("uninstall", "cursor", "--project", str(other)),
        here.client("uninstall", "cursor"),
        home.client("uninstall", "cursor"),
    ):
        assert kept.returncode == 1
        assert f"the server unity there is for the project {named}." in kept.stderr
        assert f"give --project {named};" in kept.stderr
        assert file.read_bytes() == before
    assert Home(home.folder, one / "Assets").client("uninstall", "cursor").returncode == 0
    assert not file.exists()


def test_uninstall_of_a_server_for_no_project_needs_none(home: Home, tmp_path: Path) -> None:
    _, other = two_projects(tmp_path)
    home.client("install", "cursor")
    done = Home(home.folder, other).client("uninstall", "cursor")
    assert done.returncode == 0
    assert not (home.folder / ".cursor/mcp.json").exists()


def test_the_server_of_a_project_that_is_gone_is_taken_out(home: Home, tmp_path: Path) -> None:
    one, _ = two_projects(tmp_path)
    home.client("install", "cursor", "--project", str(one))
    shutil.rmtree(one)
    assert home.client("uninstall", "cursor").returncode == 1
    mistyped = home.client("uninstall", "cursor", "--project", f"{one}A")
    assert mistyped.returncode == 2
    assert "there is no such folder" in mistyped.stderr
    assert home.client("uninstall", "cursor", "--project", str(one)).returncode == 0
    assert not (home.folder / ".cursor/mcp.json").exists()


def test_what_is_said_to_send_works_for_a_projects_own_file_too(home: Home, tmp_path: Path) -> None:
    """As in a clone, whose file names the folder of the original, which is gone."""
    one, other = two_projects(tmp_path)
    shared = ("--scope", "project")
    home.client("install", "cursor", *shared, "--project", str(one))
    one.joinpath(".cursor").rename(other / ".cursor")
    shutil.rmtree(one)
    here = Home(home.folder, other)
    kept = here.client("uninstall", "cursor", *shared)
    file = other / ".cursor/mcp.json"
    assert f"give --file {file} --project {one};" in kept.stderr
    sent = ("--file", str(file), "--project", str(one))
    assert here.client("uninstall", "cursor", *shared, *sent).returncode == 0
    # Who has made a file that came from elsewhere isn't known here.
    assert json.loads(file.read_bytes()) == {"mcpServers": {}}


def test_only_the_last_folder_of_a_named_file_is_made(home: Home, tmp_path: Path) -> None:
    far = tmp_path / "nope" / "x" / "mcp.json"
    done = home.client("install", "cursor", "--file", str(far))
    assert done.returncode == 2
    assert f"there is no folder {tmp_path / 'nope'}." in done.stderr
    assert not (tmp_path / "nope").exists()
    near = tmp_path / "made" / "mcp.json"
    assert home.client("install", "cursor", "--file", str(near)).returncode == 0
    assert near.is_file()
