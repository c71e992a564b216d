"""Render an analysis as one HTML page: a template, styles, scripts, and the facts as a data block.

The page loads nothing from elsewhere, and nothing in the facts can become markup or code: the data is escaped JSON, or
compressed in base64, and the scripts only set text. The page's content security policy allows no other script and no
connection.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Sequence
from importlib import resources

from kafka_nextgen.history.analysis import Analysis, FactsByKind, facts_by_group, sorted_by_time
from kafka_nextgen.history.facts import FACTS, Fact, LagPoint
from kafka_nextgen.history.page.columns import COLUMN_CODING, Column, StringTable, downsample, encode_columns
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["MAX_LAG_POINTS", "SCRIPTS", "page_data", "render"]

#: The maximum number of lag points per group.
MAX_LAG_POINTS = 40_000
#: Longer documents are compressed.
_LONGEST_PLAIN = 200_000
#: The scripts in the order in which they run.
SCRIPTS = (
    "data.js",
    "model.js",
    "times.js",
    "palette.js",
    "state.js",
    "elements.js",
    "lanes.js",
    "panels.js",
    "lag.js",
    "timeline.js",
    "pointing.js",
    "overview.js",
    "list.js",
    "details.js",
    "figures.js",
    "main.js",
)
_HOLE = lazy_pattern(r"\{\{(\w+)\}\}")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(answers: Analysis, title: str, *, made: int, notes: Sequence[str] = ()) -> str:
    """Return the page.

    Args:
        answers: The analysis that it shows.
        title: Its title and heading.
        made: The time of its creation, in milliseconds since the Unix epoch.
        notes: The problems of the log, one sentence each.
    """
    style = _file("page.css")
    script = _script()
    holes = {
        "policy": _policy(style, script),
        "title": html.escape(_in_utf_8(title)),
        "style": style,
        "data": _data(page_data(answers, title, made=made, notes=notes)),
        "script": script,
    }
    return _HOLE.sub(lambda hole: holes[hole.group(1)], _file("page.html"))


def _in_utf_8(text: str) -> str:
    """Escape lone surrogates, which UTF-8 can't encode."""
    return text.encode("utf-8", "backslashreplace").decode()


def page_data(answers: Analysis, title: str, *, made: int, notes: Sequence[str] = ()) -> dict[str, object]:
    """Return the facts as the page contains them."""
    texts = StringTable()
    told = list(notes)
    by_group = sorted(facts_by_group(answers).items(), key=lambda item: item[0][::-1])
    groups = [_group(*key, tables, texts, told) for key, tables in by_group]
    return {
        "v": 1,
        "title": title,
        "made": made,
        "notes": told,
        "coding": COLUMN_CODING,
        "groups": groups,
        "texts": texts.all(),
    }


def _group(cluster: str, group: str, tables: FactsByKind, texts: StringTable, notes: list[str]) -> dict[str, object]:
    lags = [point for point in sorted_by_time(tables["lags"]) if isinstance(point, LagPoint)]
    kept = downsample(lags, MAX_LAG_POINTS)
    if len(kept) < len(lags):
        notes.append(f"Group {group}: {len(kept)} of {len(lags)} lag points are shown: the greatest in each interval.")
    columns: dict[str, dict[str, Column] | int] = {}
    for name in FACTS:
        facts: Sequence[Fact] = kept if name == "lags" else sorted_by_time(tables[name])
        columns[name] = {"rows": len(facts), **encode_columns(name, facts, texts)} if facts else 0
    return {"cluster": cluster, "group": group, "facts": columns}


def _data(document: object) -> str:
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    if len(text) > _LONGEST_PLAIN:
        packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
        return f'<script id="facts" type="text/plain" data-coding="deflate">{packed}</script>'
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return f'<script id="facts" type="application/json">{text}</script>'


def _script() -> str:
    return '"use strict";\n(() => {\n' + "\n".join(_file(name) for name in SCRIPTS) + "\n})();\n"


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
