"""Rename one symbol there and back, and compare what the compiler and the assets say.

A rename is *wrong* if, by what the compiler and PyYAML see,

- a text that changed has an error that it didn't have (by file and code);
- a use in an asset stands for something else, or for nothing, and the answer doesn't list the place
  as lost;
- renaming back doesn't give every byte back;
- a refused rename changes a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.rename.truth.declared_types import Declaration, DeclaredType
from benchmarks.rename.truth.prepared import Prepared
from benchmarks.rename.truth.resolved_assets import ResolvedAssets
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

_TIME_MS = 120_000


@dataclass
class Outcome:
    """The result of one rename: ``done``, ``wrong``, or the code of its refusal."""

    kind: str
    code: str
    problems: list[str] = field(default_factory=list)
    listed: int = 0
    """Uses that the rename breaks, and says so."""


class CheckedRenames:
    """The renames of one prepared project."""

    def __init__(self, project: Prepared, engine: SnippetEngine) -> None:
        self._root = project.root
        self._declared = declared = project.declared
        self._engine = engine
        self._types = declared.types()
        self._assets = ResolvedAssets(project.root, self._types)
        self._assets.read()
        self._bytes = dict(_contents(project.root))
        self.declarations = declared.declarations()

    @property
    def uses(self) -> Counter[tuple[str, bool]]:
        """Count the uses in assets by kind, and whether they stand for anything."""
        return Counter(
            (kind, bool(ids))
            for documents in self._assets.uses_in(self._assets.documents).values()
            for uses in documents
            for kind, _, ids in uses
        )

    def check(self, declaration: Declaration, new_name: str, mode: str) -> Outcome:
        """Rename, compare, rename back, compare.

        Two namespaces that became one can't be told apart, so that one isn't renamed back.
        """
        spaces = {each.name for each in self.declarations if each.kind == "namespace"}
        is_merged = declaration.kind == "namespace" and new_name in spaces
        answer = self._rename(declaration, declaration.name, new_name, mode)
        if isinstance(answer, SnippetError):
            return Outcome(declaration.kind, _code(answer))
        outcome = Outcome(declaration.kind, "done")
        paths, moves = _touched(answer)
        before_errors = self._declared.errors(paths)
        uses = self._follow(paths, moves)
        self._compare(answer, uses, outcome)
        after_errors = self._declared.errors([moves.get(each, each) for each in paths])
        outcome.problems += [
            f"new error {id_} in {path}" for path, id_ in after_errors - before_errors
        ]
        if is_merged:
            self._restore()
        elif isinstance(back := self._return(declaration, new_name, mode), SnippetError):
            outcome.problems.append(f"not renamed back: {back.message}")
            self._restore()
        else:
            again, backwards = _touched(back)
            self._follow(again, backwards)
            changed = [*{*paths, *again, *moves, *moves.values(), *backwards.values()}]
            differing = list(self._differing(changed))
            listed = {each["path"] for each in back.get("left", ()) if each["lost"]}
            outcome.listed += len(listed & {*differing})
            outcome.problems += [
                f"other bytes in {each}"
                for each in differing
                if each not in listed and not self._names_by_nameof(each, declaration.name)
            ]
            if differing and not outcome.problems:
                self._restore()
        if outcome.problems:
            outcome.code = "wrong"
            self._restore()
        return outcome

    def differing(self) -> list[str]:
        """Return the files that aren't as they were in the beginning."""
        now = dict(_contents(self._root))
        paths = sorted({*now, *self._bytes})
        return [each for each in paths if now.get(each) != self._bytes.get(each)]

    def _rename(
        self, declaration: Declaration, old: str, new: str, mode: str
    ) -> dict[str, Any] | SnippetError:
        text = (self._root / declaration.path).read_bytes().decode("utf-8-sig")
        line = text.splitlines()[declaration.line]
        upto = line[: declaration.character] + old
        asked = {"path": declaration.path, "line": declaration.line + 1, "text": upto.strip()}
        more = {"newName": new, "mode": "apply", "assets": mode, "force": True}
        return self._engine.rename_symbol({**asked, **more, "timeout_ms": _TIME_MS})

    def _return(
        self, declaration: Declaration, name: str, mode: str
    ) -> dict[str, Any] | SnippetError:
        for each in self._declared.declarations(declaration.id):
            same = each.id == declaration.id and each.kind == declaration.kind
            if same and each.name == name:
                return self._rename(each, name, declaration.name, mode)
        raise AssertionError(f"{declaration} is not declared as {name}")

    def _follow(self, paths: list[str], moves: Mapping[str, str]) -> dict[str, list[Any]]:
        """Take up what is on disk now; return the uses before, of what is resolved anew."""
        scripts = [each for each in paths if each.endswith(".cs")]
        self._declared.changed(scripts, moves)
        types = self._declared.types()
        differ = {
            each
            for each in {*types, *self._types}
            if _names_of(types.get(each)) != _names_of(self._types.get(each))
        }
        again = frozenset({*differ, "*"}) if differ else frozenset()
        affected = {
            path
            for path, documents in self._assets.documents.items()
            if any(each.types & again for each in documents)
        } | {each for each in paths if each in self._assets.documents}
        before = self._assets.uses_in(affected)
        self._types = types
        self._assets.reread(paths, moves)
        self._assets.resolve(types, affected)
        return before

    def _compare(
        self,
        answer: Mapping[str, Any],
        before: Mapping[str, list[Any]],
        outcome: Outcome,
    ) -> None:
        after = self._assets.uses_in(before)
        listed = {each["path"] for each in answer.get("left", ()) if each["lost"]}
        for path, documents in before.items():
            now = after.get(path, [])
            if len(now) != len(documents):
                outcome.problems.append(f"{path} has other documents")
                continue
            for was, is_ in zip(documents, now, strict=True):
                found = {(kind, at): ids for kind, at, ids in is_}
                for kind, at, ids in was:
                    others = found.get((kind, at), frozenset())
                    if not ids or ids <= others or (kind == "event" and ids & others):
                        continue
                    if path in listed:
                        outcome.listed += 1
                    else:
                        became = f"{sorted(ids)} became {sorted(others)}"
                        outcome.problems.append(f"{kind} {at} in {path}: {became}")

    def _differing(self, paths: list[str]) -> Iterator[str]:
        for each in sorted({*paths, *(f"{path}.meta" for path in paths)}):
            file = self._root / each
            if (file.read_bytes() if file.is_file() else None) != self._bytes.get(each):
                yield each

    def _names_by_nameof(self, path: str, name: str) -> bool:
        """Return whether a script differs only by ``nameof``, which a rename writes for a string
        that names a coroutine."""
        now = (self._root / path).read_bytes() if path.endswith(".cs") else b""
        named = f"nameof({name})".encode()
        return named in now and now.replace(named, f'"{name}"'.encode()) == self._bytes.get(path)

    def _restore(self) -> None:
        """Write every file as it was, and begin anew."""
        for each in self.differing():
            if each in self._bytes:
                (self._root / each).write_bytes(self._bytes[each])
            else:
                (self._root / each).unlink()
        self._declared.forget()
        self._types = self._declared.types()
        self._assets = ResolvedAssets(self._root, self._types)
        self._assets.read()


def _contents(root: Path) -> Iterator[tuple[str, bytes]]:
    for file in root.rglob("*"):
        path = file.relative_to(root)
        if path.parts[0] in ("Assets", "Packages", "ProjectSettings") and file.is_file():
            yield path.as_posix(), file.read_bytes()


def _touched(answer: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the changed files and the moved ones."""
    paths = [each["path"] for each in answer["files"]]
    return paths, {each["path"]: each["movedTo"] for each in answer["files"] if each.get("movedTo")}


def _names_of(type_: DeclaredType | None) -> object:
    return type_ and (type_.name, type_.space, type_.was, type_.fields, type_.methods)


def _code(error: SnippetError) -> str:
    conflicts = error.details.get("conflicts") or []
    return str(conflicts[0]["code"]) if conflicts else error.code.value
