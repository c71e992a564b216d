"""Read a page's data back as its script does."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

from kafka_nextgen.history.facts import FACTS

#: What a page does not carry, with the values that are read instead.
LEFT_OUT: dict[str, dict[str, Any]] = {"lags": {"committed": None, "end": 0}}
_BLOCK = re.compile(r'<script id="facts" type="[a-z/]+"(?: data-coding="(\w+)")?>(.*?)</script>', re.DOTALL)


def document_in(page: str) -> dict[str, Any]:
    found = _BLOCK.search(page)
    assert found is not None
    coding, text = found.groups()
    return json.loads(zlib.decompress(base64.b64decode(text)) if coding == "deflate" else text)  # type: ignore[no-any-return]


def facts_in(document: dict[str, Any]) -> dict[str, list[Any]]:
    """All facts by kind, as their classes."""
    facts: dict[str, list[Any]] = {name: [] for name in FACTS}
    for group in document["groups"]:
        for name, rows in tables_in(document, group).items():
            known = {"cluster": group["cluster"], "group": group["group"], **LEFT_OUT.get(name, {})}
            facts[name].extend(FACTS[name](**known, **row) for row in rows)
    return facts


def tables_in(document: dict[str, Any], group: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {name: _rows(name, table, document) for name, table in group["facts"].items()}


def _rows(kind: str, table: dict[str, Any] | int, document: dict[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(table, dict):
        return []
    count = table["rows"]
    columns = {name: _spread(cells, count) for name, cells in table.items() if name != "rows"}
    coding = document["coding"][kind]
    for name in columns:
        if name in coding["texts"]:
            columns[name] = [None if cell is None else document["texts"][cell] for cell in columns[name]]
        elif name in coding["growing"]:
            columns[name] = _summed(columns[name])
    for name, base in coding["from"].items():
        if name in columns:
            columns[name] = [
                None if c is None else c + (b or 0) for c, b in zip(columns[name], columns[base], strict=True)
            ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _spread(cells: Any, count: int) -> list[Any]:
    return cells if isinstance(cells, list) else [cells] * count


def _summed(steps: list[int | None]) -> list[int | None]:
    value, values = 0, list[int | None]()
    for step in steps:
        value += step or 0
        values.append(None if step is None else value)
    return values
