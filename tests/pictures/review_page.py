"""``python -m tests.pictures.review_page [FOLDER]``: pictures of the review page, as it really is.

A real agent's calls to a real server are looked at in a real browser. Needs Chromium. The pictures
are written into ``docs`` by default, as ``review-*.png``.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / each) for each in ("doubles", "mcp_server")]

from live_server import LiveServer  # noqa: E402
from mcp import types  # noqa: E402
from review_browser import Browser, browse, live  # noqa: E402

from mcp_server.review.hold.held_calls import HoldSetting  # noqa: E402

ENEMY = """using UnityEngine;

public class Enemy : MonoBehaviour
{
    public float speed = 3f;
    int health = 100;

    void Update()
    {
        transform.Translate(Vector3.forward * speed * Time.deltaTime);
    }

    public void Hit(int damage)
    {
        health -= damage;
        if (health < 0)
        {
            Destroy(gameObject);
        }
    }
}
"""

SIZE = {"width": 1000, "height": 640}


def edit(target: str, new: str, mode: str = "apply") -> dict[str, Any]:
    """A request that replaces ``target`` in the enemy's script."""
    anchor = {"type": "text", "target": target}
    instructions = [{"operation": "replace", "anchor": anchor, "newText": new}]
    return {"path": "Assets/Scripts/Enemy.cs", "mode": mode, "instructions": instructions}


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("edit_snippet", edit("if (health < 0)", "if (health <= 0)", "preview")),
    ("edit_snippet", edit("if (health < 0)", "if (health <= 0)")),
    ("edit_snippet", edit("health =- damage;", "health -= Mathf.Max(0, damage);")),
    ("edit_snippet", edit("health -= damage;", "health -= Mathf.Max(0, damage);")),
    (
        "edit_scripts",
        {
            "mode": "apply",
            "changes": [
                {
                    "path": "Assets/Scripts/Wave.cs",
                    "create": "public class Wave\n{\n    public int enemies;\n}\n",
                },
                {
                    "path": "Assets/Scripts/Enemy.cs",
                    "instructions": edit("float speed = 3f;", "float speed = 3.5f;")[
                        "instructions"
                    ],
                },
            ],
        },
    ),
)

PICTURES = {
    "timeline": "/",
    "edit": "/event/4?side=1",
    "refusal": "/event/3",
    "take-back": "/take-back?event=4",
    "net": "/net?since=0",
    "waiting": "/holds",
    "figures": "/figures",
}
"""The name of each picture, and the address that it shows."""


async def _held(server: LiveServer) -> None:
    """Make a call that waits for a person."""
    await server.server.review.held.set(HoldSetting(is_on=True))
    info = types.Implementation(name="claude-code", version="2")
    async with server.client(client_info=info) as client:
        await client.call_tool("edit_snippet", edit("int health = 100;", "int health = 150;"))


def take(folder: Path) -> list[Path]:
    """Take every picture; their files."""
    taken: list[Path] = []

    async def scenario(browser: Browser) -> None:
        with tempfile.TemporaryDirectory(prefix="games-") as parent:
            project = Path(parent) / "Tower"
            for each in ("Assets/Scripts", "ProjectSettings", "Packages"):
                (project / each).mkdir(parents=True)
            (project / "Assets/Scripts/Enemy.cs").write_text(ENEMY, encoding="utf-8")
            async with LiveServer(project=project) as server:
                info = types.Implementation(name="claude-code", version="2")
                async with server.client(client_info=info) as client:
                    for number, (tool, arguments) in enumerate(CALLS):
                        await client.call_tool(tool, arguments)
                        if number == 2:
                            await asyncio.to_thread(server.server.review.store.settle, 10)
                            server.server.review.store.set_mark(2)
                await asyncio.to_thread(server.server.review.store.settle, 10)
                person = await browser.person(viewport=SIZE)
                page = await person.new_page()
                waiting = asyncio.create_task(_held(server))
                for name, address in PICTURES.items():
                    await page.goto(f"http://127.0.0.1:{server.port}{address}")
                    await live(page)
                    if name == "waiting":
                        await page.locator(".held").first.wait_for()
                    file = folder / f"review-{name}.png"
                    await page.screenshot(path=file)
                    taken.append(file)
                held = server.server.review.held
                for each in held.waiting:
                    held.answer(each.key, approves=False)
                await waiting

    problems = browse(scenario)
    assert problems == [], problems
    return taken


def main(arguments: list[str]) -> int:
    """Write the pictures; returns the process's exit code."""
    folder = Path(arguments[0]) if arguments else ROOT / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    for each in take(folder):
        print(each, f"{each.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
