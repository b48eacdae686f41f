"""What the commands print, held against transcripts: text and JSON, on success and on failure."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from running_server import SCRIPT
from transcript import hold_against, run_here

from mcp_server.doctor import installation
from mcp_server.doctor.check import Check
from mcp_server.doctor.installation import check_packages
from mcp_server.this_installation import program
from mcp_server.version import package_version

CALL = ("tool", "call")
CONTRACTS = Path(__file__).parents[3] / "contracts"
SYMBOLS = ("get_symbols", "--json", json.dumps({"path": SCRIPT}))

CASES: dict[str, tuple[str, ...]] = {
    "version": ("--version",),
    "no-command": (),
    "unknown-command": ("tol",),
    "unknown-option": ("tool", "list", "--jsno"),
    "tool-schema": ("tool", "schema", "get_symbols"),
    "tool-schema-unknown": ("tool", "schema", "get_symbol"),
    "tool-call": (*CALL, *SYMBOLS),
    "tool-call-refused": (*CALL, "get_symbols", "--json", '{"pat": 1}'),
    "tool-call-dry-run": ("--dry-run", *CALL, "control_play_mode", "--json", '{"action": "stop"}'),
    "tool-call-no-server": (*CALL, "get_editor_state", "--url", "http://127.0.0.1:9/mcp"),
    "contracts-check": ("contracts", "check", "--dir", str(CONTRACTS)),
    "contracts-check-nothing": ("contracts", "check", "--dir", "/dev/null"),
    "client-list": ("client", "list"),
    "client-show": ("client", "show", "codex", "--http"),
    "client-show-stdio": ("client", "show", "vscode"),
    "client-show-unknown": ("client", "show", "codec"),
    "client-install": ("client", "install", "cursor"),
    "client-uninstall": ("client", "uninstall", "cursor"),
    "client-install-dry-run": ("--dry-run", "client", "install", "zed"),
    "doctor": ("doctor", "--lsp", "off", "--url", "http://127.0.0.1:9/mcp"),
    "serve-port": ("serve", "--port", "70000"),
    "serve-dry-run": ("--dry-run", "serve"),
    "mcp-port": ("mcp", "--port", "x"),
    "mcp-project": ("mcp", "--project", "nowhere"),
}


@pytest.fixture
def names(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A project to work in, a home without anything, and what stands for their paths."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "argv", ["/opt/nothing/unity-cli"])
    for variable in ("UNITY_CLI_URL", "UNITY_CLI_PORT", "UNITY_CLI_TOKEN", "UNITY_CLI_LSP"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "DOTNET_ROOT"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))
    monkeypatch.setenv("APPDATA", str(home / "xdg_config_home"))  # Windows' name for it
    monkeypatch.setenv("PATH", "/nonexistent")
    install = "unity-cli roslyn install"
    none = [Check("Roslyn", False, "no compiler can be used", install, optional=True)]
    monkeypatch.setattr(installation, "check_toolchains", lambda _project: none)
    monkeypatch.setenv("COLUMNS", "80")
    version = sys.version_info
    return {
        str(project): "PROJECT",
        str(CONTRACTS): "CONTRACTS",
        check_packages()[0].summary: "PACKAGES",
        f"{program()} ": "unity-cli ",
        str(home / "xdg_config_home" / "Zed"): "HOME/xdg_config_home/zed",  # Windows' spelling
        str(home): "HOME",
        f"unity-cli {package_version()}": "unity-cli VERSION",
        f'"version": "{package_version()}"': '"version": "VERSION"',
        f"{version.major}.{version.minor}.{version.micro} ({sys.executable})": "PYTHON",
    }


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("case", CASES)
def test_transcript(
    case: str, output: str, names: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = CASES[case]
    code, printed, errors = run_here(capsys, *arguments, "--output", output)
    if output == "json":
        json.loads(printed)
        assert errors == ""
    typed = " ".join(["unity-cli", *arguments, "--output", output])
    found = f"$ {typed}\n{printed}"
    if errors:
        found += f"[stderr]\n{errors}"
    hold_against(f"{case}.{output}.txt", f"{found}[exit code {code}]\n", names)
