"""MkDocs hooks: the site has the repository's root pages, and its links lead to the repository.

On GitHub, a page links to files anywhere in the repository. The site has only pages: a link to
another file becomes a link to that file in the repository.
"""

from __future__ import annotations

import os.path
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
ROOT_PAGES = (
    "README.md",
    "quickstart.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
)

_LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the root pages; the README is the site's first page."""
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the page's links, so that they lead to the site's pages or to the repository."""
    source = page.file.src_uri

    def rewritten(found: re.Match[str]) -> str:
        return found[1] + site_link(found[2], source, str(config.repo_url), files) + found[3]

    return _LINK.sub(rewritten, markdown)


def site_link(link: str, source: str, repository: str, files: Files) -> str:
    """Return the link as the site has it; ``source`` is the page that has it, in the site."""
    target, hash_sign, fragment = link.partition("#")
    if not target or "://" in target or target.startswith("mailto:"):
        return link
    folder = "" if source in ROOT_PAGES else "docs"
    path = posixpath.normpath(posixpath.join(folder, posixpath.dirname(source), target))
    in_site = path.removeprefix("docs/")
    if files.get_file_from_path(in_site) is None:
        if not (ROOT / path).exists():
            return link  # MkDocs reports it.
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{repository}/{kind}/main/{path}{hash_sign}{fragment}"
    return os.path.relpath(in_site, posixpath.dirname(source) or ".") + hash_sign + fragment
