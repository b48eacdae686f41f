"""References between code and documents lead somewhere.

A reference names a document of ``docs/design`` and, behind it, sections by number or headings by
name. What it names must be there, so that a reader who follows it finds the promise, and a section
sign stands nowhere without its document. Links between the documents must lead somewhere, too.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DESIGN = ROOT / "docs" / "design"

_DOCUMENT = re.compile(r"docs/design/[\w-]+\.md")
_MENTION = re.compile(
    r"(?:,? and|,| or| to| of)?\s"
    r"(?:§(?P<section>\d+(?:\.\d+)?)(?:–(?P<last>\d+(?:\.\d+)?))?"
    r"|(?P<laws>laws? \d+(?:(?:,| and) \d+)*)"
    r'|"(?P<title>[^"]+)"|``?(?P<name>[^`]+)``?)'
)
_STANDARD = re.compile(r"RFC \d+ §[\d.]+")
_MARGIN = re.compile(r"\n[ \t]*(?:#|///?|\*)?[ \t]*")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\.? ")
_DOCSTRING_WITH_REFERENCE = re.compile(r'"""\s*(?:docs/|§|(?:Implements|Part of|See|For) docs/)')
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_MARKDOWN_NAME = re.compile(r"[\w./-]*[\w-]\.md\b")
_LISTED = ["*.py", "*.cs", "*.md", "*.toml", "*.yml", "*.yaml", "*.asmdef"]


def tracked(*patterns: str) -> list[str]:
    """Files that belong to the repository, new ones too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in dict.fromkeys(listed.stdout.split()) if (ROOT / name).is_file()]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def headings(document: Path) -> list[str]:
    """The headings of a document as they read, without code marks."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    return [each.replace("`", "").strip() for each in _HEADING.findall(text)]


def numbers(document: Path) -> set[str]:
    return {found[1] for each in headings(document) if (found := _NUMBER.match(each))}


def titles(document: Path) -> set[str]:
    return {_NUMBER.sub("", each, count=1).lower() for each in headings(document)}


def laws() -> int:
    _, _, text = (DESIGN / "engine.md").read_text(encoding="utf-8").partition("## 10. Laws")
    return len(re.findall(r"^\d+\. ", text, re.MULTILINE))


def wrong_references(text: str) -> Iterator[str]:
    """What the references in a text name that isn't there, each as it stands in the text."""
    flat = _STANDARD.sub("", _MARGIN.sub(" ", text))
    followed: set[int] = set()
    for reference in _DOCUMENT.finditer(flat):
        document = ROOT / reference[0]
        if not document.is_file():
            yield reference[0]
            continue
        end = reference.end()
        while (mention := _MENTION.match(flat, end)) is not None:
            followed.update(range(end, mention.end()))
            end = mention.end()
            known = numbers(document)
            missing = [
                each
                for each in (mention["section"], mention["last"])
                if each is not None and each not in known
            ]
            title = mention["title"] or mention["name"]
            if title is not None and title.lower() not in titles(document):
                missing.append(title)
            if mention["laws"] is not None:
                named = map(int, re.findall(r"\d+", mention["laws"]))
                missing += [f"law {each}" for each in named if not 1 <= each <= laws()]
            for each in missing:
                yield f"{reference[0]}: {each}"
    for sign in re.finditer("§(?=[0-9])", flat):
        before = flat[max(0, sign.start() - 60) : sign.start()]
        if sign.start() not in followed and not re.search(
            r"\blaws? [\d, and]+ of docs/design/engine\.md ?$", before
        ):
            yield f"without a document: …{flat[max(0, sign.start() - 30) : sign.end() + 10]}…"


def in_code() -> list[str]:
    listed = tracked("*.py", "*.cs", "*.toml", "*.yml", "*.yaml", "README.md", "quickstart.md")
    return [name for name in listed if name != Path(__file__).relative_to(ROOT).as_posix()]


def test_references_in_code_lead_to_sections_that_exist() -> None:
    wrong = {name: list(wrong_references(text_of(name))) for name in in_code()}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("docs/design/engine.md §5 and §6, docs/design/roslyn.md §1.1–1.3", 0),
        ("docs/design/command-line.md\n# ``client install``: all of it", 0),
        ("docs/design/engine.md §8 and law 7 of §10", 0),
        ("see RFC 6455 §7.4.1", 0),
        ("docs/design/roslyn.md §1.1–1.9", 1),
        ('docs/design/engine.md §1 "No such heading"', 1),
        ("docs/design/engine.md §8 and law 8 of §10", 1),
        ("docs/design/nothing.md §1", 2),
        ("as §7 has it", 1),
    ],
)
def test_wrong_references_are_found(text: str, wrong: int) -> None:
    assert len(list(wrong_references(text))) == wrong


def test_docstrings_begin_with_what_they_are_about() -> None:
    """The reference comes behind that: it says where to read on."""
    begin_with_reference = [
        f"{name}: {text.splitlines()[0]}"
        for name in tracked("*.py")
        if _DOCSTRING_WITH_REFERENCE.search(text_of(name))
        for node in ast.walk(ast.parse(text_of(name)))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node)) is not None
        and re.match(r"docs/|§|(?:Implements|Part of|See|For) docs/", text)
    ]
    assert begin_with_reference == []


def test_documents_that_are_named_are_in_the_repository() -> None:
    """A name that ends in ``.md``, in code or document, is that of a file here."""
    listed = tracked("*")
    known = {"/" + name for name in listed}
    names = {
        (name, found)
        for name in tracked(*_LISTED)
        if not name.startswith("tests/")
        for found in _MARKDOWN_NAME.findall(text_of(name))
    }
    missing = {
        (name, found)
        for name, found in names
        if not any(each.endswith("/" + found.lstrip("./")) for each in known)
    }
    assert missing == set()


def anchor_of(heading: str) -> str:
    """The fragment that leads to a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_links_between_documents_lead_somewhere() -> None:
    wrong: list[str] = []
    for name in tracked("*.md"):
        folder = (ROOT / name).parent
        for link in _LINK.findall(_FENCE.sub("", text_of(name))):
            target, _, fragment = link.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            document = (folder / target).resolve() if target else ROOT / name
            exists = document.exists()
            if not exists or (
                fragment and fragment not in {anchor_of(each) for each in headings(document)}
            ):
                wrong.append(f"{name}: {link}")
    assert wrong == []
