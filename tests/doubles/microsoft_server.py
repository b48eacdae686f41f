"""A double of Microsoft's ``roslyn-language-server``, which can't be had where tests run.

It is held to the server's published behaviour (docs/design/roslyn.md §6), not
to its code: diagnostics only by pull, and only registered dynamically, one registration for each
identifier; none of worth before ``solution/open`` or ``project/open``, and the
``workspace/projectInitializationComplete`` that follows some time later, without ``params``;
requests of its own that wait for an answer; ``ContentModified`` for what is asked while it
reloads; a build host that outlives it. What it knows of C# is brackets and one undefined name.

Started as the real one: ``microsoft_server.py --stdio --logLevel L --extensionLogDirectory D``.
``HOSTILE_WITNESS`` names a file that all of its processes hold open.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import hostile_server
from hostile_server import read, send

UNDEFINED = "undefined_name"
IDENTIFIERS = ("syntax", "DocumentCompilerSemantic", "DocumentAnalyzerSyntax", "enc")


class Server:
    """Everything that happened to it, in order, goes to stderr."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.requests = 0
        self.waiting_for: set[str] = set()
        self.opened = False
        self.ready = False
        self.reloading = False

    def run(self) -> None:
        """Serve until told to exit."""
        while (message := read()) is not None:
            if "method" in message:
                self.handle(message)
            else:
                self.waiting_for.discard(str(message["id"]))
                if self.opened and not self.ready and not self.waiting_for:
                    self.complete()

    def handle(self, message: dict[str, Any]) -> None:
        method, params = message["method"], message.get("params") or {}
        uri = (params.get("textDocument") or {}).get("uri", "")
        if method == "initialize":
            diagnostic = params["capabilities"]["textDocument"].get("diagnostic") or {}
            self.dynamic = diagnostic.get("dynamicRegistration", False)
            answer(
                message, {"capabilities": {"textDocumentSync": {"openClose": True, "change": 2}}}
            )
        elif method == "initialized":
            if self.dynamic:
                registrations = [
                    {
                        "id": f"id-{name}",
                        "method": "textDocument/diagnostic",
                        "registerOptions": {"identifier": name, "interFileDependencies": True},
                    }
                    for name in IDENTIFIERS
                ]
                self.ask("client/registerCapability", {"registrations": registrations})
        elif method in ("solution/open", "project/open"):
            files = [params["solution"]] if "solution" in params else params["projects"]
            assert all(Path(url2pathname(file.removeprefix("file:"))).is_file() for file in files)
            self.opened = True
            start_build_host()
            self.ask("window/workDoneProgress/create", {"token": "load"})
            self.ask("workspace/configuration", {"items": [{"section": "csharp|a"}] * 3})
            self.ask("workspace/_roslyn_projectNeedsRestore", {"projectFilePaths": files})
        elif method == "textDocument/didOpen":
            self.texts[uri] = params["textDocument"]["text"]
        elif method == "textDocument/didChange":
            (change,) = params["contentChanges"]
            self.texts[uri] = change["text"]
            self.reloading = "reload" in change["text"]
        elif method == "textDocument/didClose":
            del self.texts[uri]
        elif method == "textDocument/diagnostic":
            self.diagnose(message, uri, params.get("identifier"))
        elif method == "shutdown":
            answer(message, None)
        elif method == "exit":
            os._exit(0)

    def ask(self, method: str, params: Any) -> None:
        """Ask the client; nothing goes on before it has answered."""
        self.requests += 1
        self.waiting_for.add(str(self.requests))
        send({"jsonrpc": "2.0", "id": str(self.requests), "method": method, "params": params})

    def complete(self) -> None:
        self.ready = True
        # As the real one, without params.
        send({"jsonrpc": "2.0", "method": "workspace/projectInitializationComplete"})

    def diagnose(self, message: dict[str, Any], uri: str, identifier: str | None) -> None:
        if self.reloading:
            self.reloading = False
            error = {"code": -32801, "message": "Content modified."}
            send({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return
        text, items = self.texts[uri], list[dict[str, Any]]()
        if self.ready and identifier == "syntax" and text.count("(") > text.count(")"):
            items.append(found(text, "(", "CS1026", ") expected"))
        if self.ready and identifier == "DocumentCompilerSemantic" and UNDEFINED in text:
            name = f"The name '{UNDEFINED}' does not exist in the current context"
            items.append(found(text, UNDEFINED, "CS0103", name))
        answer(message, {"kind": "full", "items": items, "resultId": f"{identifier}:1"})


def found(text: str, word: str, code: str, message: str) -> dict[str, Any]:
    before = text[: text.rindex(word)]
    line = before.count("\n")
    place = {"line": line, "character": len(before) - before.rfind("\n") - 1}
    whole = {"range": {"start": place, "end": place}, "message": message, "code": code}
    link = {"href": f"https://msdn.microsoft.com/query/roslyn.query?appId=roslyn&k=k({code})"}
    return {**whole, "severity": 1, "source": "csharp", "codeDescription": link, "tags": []}


def answer(message: dict[str, Any], result: Any) -> None:
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})


def start_build_host() -> None:
    """A process in a session of its own, that does not notice its parent's end."""
    if os.name == "nt":
        child = subprocess.Popen(
            [sys.executable, "-S", hostile_server.__file__, "lives_on"], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
    elif os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    assert sys.argv[1] == "--stdio"
    options = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    assert set(options) <= {"--logLevel", "--extensionLogDirectory"}
    if witness := os.environ.get("HOSTILE_WITNESS"):
        os.open(witness, os.O_WRONLY)
    print(json.dumps(options), file=sys.stderr)
    Server().run()
