"""How Sphinx builds these pages: ``sphinx-build -W -q docs build/site``.

The pages are plain Markdown, and read well as files too. On the site, links out of ``docs/`` lead to the page that
has the text of the file, or to the repository. Docstrings are plain text in
Google's style, whose indented paragraphs are code.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Text
from sphinx.ext.napoleon import Config, GoogleDocstring

from kafka_nextgen.version import VERSION

if TYPE_CHECKING:
    from sphinx.application import Sphinx

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).parent
ROOT = DOCS.parent

project = "kafka_nextgen"
author = "kafka_nextgen contributors"
project_copyright = author
version = release = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["tools"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["ref.python"]  # an annotation such as `bytes` is also the name of an attribute

html_theme = "furo"
html_title = f"kafka_nextgen {VERSION}"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "inherited-members": "object,tuple,int,str,dict,set,Exception,BaseException,Enum,Generic,Protocol,DataSource",
    "member-order": "bysource",
}
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True

#: Pages that include a file outside docs/.
_INCLUDED = {
    "changelog": "CHANGELOG.md",
    "internals/contributing": "CONTRIBUTING.md",
    "internals/security-policy": "SECURITY.md",
    "start/introduction": "README.md",
}
_LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]


def _place_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give some pages the text of a file, and change the links that lead out of ``docs/``."""
    page = DOCS / docname
    file = ROOT / _INCLUDED[docname] if docname in _INCLUDED else page
    text = file.read_text() if docname in _INCLUDED else source[0]

    def placed(link: re.Match[str]) -> str:
        target = (file.parent / link[1]).resolve()
        return f"]({_place_of(target, page.parent) if target.exists() else link[1]}{link[2] or ''})"

    source[0] = _LINK.sub(placed, text)


def _place_of(target: Path, folder: Path) -> str:
    """Where a link to a file leads, for a page in ``folder``."""
    name = target.relative_to(ROOT).as_posix()
    pages = {file: page for page, file in _INCLUDED.items()}
    if name in pages or target.is_relative_to(DOCS):
        return os.path.relpath(DOCS / f"{pages[name]}.md" if name in pages else target, folder)
    return f"{_SOURCE}/{'tree' if target.is_dir() else 'blob'}/main/{name}"


def _mark_up(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Turn the arguments of a docstring into fields, and its indented paragraphs into blocks of code."""
    marked: list[str] = []
    for line in GoogleDocstring(lines, Config(), app, what, name, obj).lines():
        indented = line.startswith("    ")
        if indented and marked and not marked[-1].strip() and not _in_code(marked):
            marked += [".. code-block:: python", ""]
        marked.append(line)
    lines[:] = marked


def _in_code(lines: list[str]) -> bool:
    """Whether the last line that is not blank belongs to an indented paragraph."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return last.startswith(("    ", "- ", "  ", "1. "))


class ScenarioLexer(RegexLexer):
    """The language of ``tests/scenarios``: commands, what came of them, and comments."""

    name = "scenario"
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"#.*\n", Comment.Single),
            (r"^[a-z-]+\b", Keyword),
            (r".*?\n", Text),
        ]
    }


def setup(app: Sphinx) -> None:
    """Connect all this to Sphinx."""
    app.connect("source-read", _place_links)
    app.connect("autodoc-process-docstring", _mark_up)
    app.add_lexer("scenario", ScenarioLexer)
