from __future__ import annotations

import pytest

from tests.support.plain_yaml import read_documents


def test_plain_yaml_is_read() -> None:
    text = """
# a comment
kind: Pod # another
count: 3
quoted: "3"
empty:
is-on: true
items:
  - name: a
    ports:
    - 1
    - 2
  - plain text: with: colons
---
second: #1
"""
    first, second = read_documents(text.replace("  - plain text: with: colons\n", "  - two words\n"))
    assert first == {
        "kind": "Pod",
        "count": 3,
        "quoted": "3",
        "empty": None,
        "is-on": True,
        "items": [{"name": "a", "ports": [1, 2]}, "two words"],
    }
    assert second == {"second": None}


@pytest.mark.parametrize(
    "text", ["a: {b: 1}", "a: [1]", "a: &x 1", "a: |\n  text", "a: 'b", "a: 1\na: 2", "a: 1\n  b: 2", "a"]
)
def test_what_is_not_plain_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"plain|quote|indentation|neither"):
        read_documents(text)
