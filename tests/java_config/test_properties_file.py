"""The syntax of Java's .properties files."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.properties_file import parse_properties


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a=1\nb: 2\r\nc 3\rd", {"a": "1", "b": "2", "c": "3", "d": ""}),
        ("# no\n  ! no\\\na = = 1", {"a": "= 1"}),
        ("a = 1, \\\n   2, \\\n\t3", {"a": "1, 2, 3"}),
        ("a = one\\\\\nb = 2", {"a": "one\\", "b": "2"}),
        (r"a\ b\=c\:d = e\tf\q", {"a b=c:d": "e\tfq"}),
        (r"a = \u00e9\ud83d\ude00", {"a": "é😀"}),
        ("a = 1\\", {"a": "1"}),
        ("\\\n# no\na = 1", {"a": "1"}),
        ("a = 1\na = 1", {"a": "1"}),
        ("\ufeffa = x # y", {"a": "x # y"}),
    ],
)
def test_text_is_read_as_java_reads_it(text: str, read: dict[str, str]) -> None:
    assert parse_properties(text) == read


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = \\u12", "line 1 has"),
        ("b=1\n=s3cret", "line 2 has no key"),
        ("a=s3cret\na=2", "a is given twice"),
        ("a=1\na=s3cret", "a is given twice"),
    ],
)
def test_what_is_malformed_is_told_without_values(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        parse_properties(text)
    assert "s3cret" not in str(caught.value)
