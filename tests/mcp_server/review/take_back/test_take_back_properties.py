"""The laws of taking back, over random changes by agents, undos, other programs and the person."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from reviewed_project import Files, ReviewedProject

from mcp_server.contract.outcome import ToolResult
from mcp_server.review.record.event_order import net_difference
from mcp_server.review.record.events import FileTexts
from mcp_server.review.take_back.plans import Plan

PATHS = ("Assets/A.cs", "Assets/B.cs", "Assets/New/C.cs")
KINDS = (
    "edit",
    "edit",
    "edit",
    "create",
    "delete",
    "move",
    "outside",
    "unrecorded",
    "undo",
    "back",
)


def text(name: str, ending: str, lines: int) -> bytes:
    fields = "".join(f"    int {name}{number};{ending}" for number in range(lines))
    return f"class {name}{ending}{{{ending}{fields}}}{ending}".encode()


FIRST = {
    PATHS[0]: text("a", "\r\n", 6),
    f"{PATHS[0]}.meta": b"guid: a\n",
    PATHS[1]: "\ufeff".encode() + text("b", "\n", 6),
    f"{PATHS[1]}.meta": b"guid: b\n",
}


def without_folders(files: Files) -> Files:
    """A folder that a move made is not gone when an agent deletes what is in it."""
    return {name: data for name, data in files.items() if not name.endswith("/")}


class Story:
    """What happened, with the files before and after each event."""

    def __init__(self, root: Path, draw: st.DrawFn) -> None:
        self.project = ReviewedProject(root, FIRST)
        self.draw = draw
        self.fresh = count(100)
        self.trees: dict[int, tuple[Files, Files]] = {}
        self.is_all_recorded = True

    def scripts(self) -> list[str]:
        return [each for each in PATHS if (self.project.root / each).exists()]

    def free(self) -> list[str]:
        return [each for each in PATHS if not (self.project.root / each).exists()]

    def before_event(self, number: int) -> Files:
        """The files before an event; what a check did, it took back."""
        known = [each for each in self.trees if each >= number]
        return self.trees[min(known)][0] if known else self.project.files()

    def go_on(self, kind: str) -> None:
        """Let something happen, if it can."""
        before, last = self.project.files(), self.project.last()
        self._happen(kind)
        now = self.project.last()
        if now > last:
            assert now == last + 1
            self.trees[now] = before, self.project.files()

    def _happen(self, kind: str) -> None:
        there, free = self.scripts(), self.free()
        if kind == "create" and free:
            name = f"c{next(self.fresh)}"
            path = self.draw(st.sampled_from(free))
            self.project.change({"path": path, "create": text(name, "\n", 4).decode()})
            self.project.save(f"{path}.meta", f"guid: {name}\n".encode())
        elif kind == "undo" and self.trees:
            undo = self.project.event(self.draw(st.sampled_from(sorted(self.trees)))).undo
            if undo is not None:
                self.project.call("undo_snippet", undo)
        elif kind == "back" and self.trees:
            plan = self.project.plan(self.draw(st.sampled_from(sorted(self.trees))))
            if plan.is_possible:
                self.project.do(plan, all_the_same=True)
        elif there:
            self._change(kind, self.draw(st.sampled_from(there)), free)

    def _change(self, kind: str, path: str, free: list[str]) -> None:
        data = (self.project.root / path).read_bytes()
        lines = data.splitlines(keepends=True)
        at = self.draw(st.integers(2, len(lines) - 2)) if len(lines) > 3 else 1
        ending = b"\r\n" if b"\r\n" in data else b"\n"
        new = b"    int n%d;" % next(self.fresh) + ending
        changed = b"".join([*lines[:at], new, *lines[at + self.draw(st.integers(0, 1)) :]])
        match kind:
            case "edit" if len(lines) > 4:
                old = lines[at].strip().decode()
                self.project.edit(path, old.removeprefix("int "), f"n{next(self.fresh)};")
            case "delete":
                self.project.change({"path": path, "delete": True})
            case "move" if free:
                self.project.change({"path": path, "moveTo": self.draw(st.sampled_from(free))})
            case "outside":
                self.project.outside(FileTexts(path, data, changed), known=self.draw(st.booleans()))
            case "unrecorded":
                self.project.save(path, changed)
                self.is_all_recorded = False

    def check(self, plan: Plan) -> Files | None:
        """Do a plan, if it can be done; it changes what it says, and can itself be taken back."""
        before = self.project.files()
        if not plan.is_possible:
            return None
        if all(each.now == each.then and each.moved_to is None for each in plan.files):
            done = self.project.do(plan)  # only whether a .meta is another's is still open
            assert isinstance(done, ToolResult)
            if done.structured["status"] == "unchanged":
                assert self.project.files() == before
                return before
            self.project.undo(self.project.last())
        assert all(before.get(each.path) == each.now for each in plan.files)
        number = self.project.taken_back(plan, all_the_same=True)
        after = self.project.files()
        named = {path for each in plan.files for path in (each.path, each.moved_to) if path}
        for each in plan.files:
            assert after.get(each.moved_to or each.path) == each.then
        for path in before.keys() | after.keys():
            if path.removesuffix(".meta") not in named and not path.endswith("/"):
                assert before.get(path) == after.get(path), path
        self.project.taken_back(self.project.plan(number), all_the_same=True)
        assert self.project.files() == before
        return after


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_taking_back(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), data.draw)
        for kind in data.draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=9)):
            story.go_on(kind)
        if not story.trees:
            return
        last = story.project.last()
        now = story.project.files()
        number = data.draw(st.sampled_from(sorted(story.trees)))
        after = story.check(story.project.plan(number))
        is_untouched = number == last and now == story.trees[last][1]
        if is_untouched and after is not None and story.is_all_recorded:
            assert after == story.trees[last][0]
        event(f"one: {after is not None}")
        since = data.draw(st.integers(0, last))
        plan = story.project.since(since)
        net = net_difference(story.project.review.store.events())
        assert {each.file.path for each in net} <= set(PATHS)
        everything = story.check(plan)
        event(f"since: {everything is not None}")
        if story.is_all_recorded:
            assert plan.conflicts == ()
            if everything is not None:
                wanted = without_folders(story.before_event(since + 1))
                assert without_folders(everything) == wanted
