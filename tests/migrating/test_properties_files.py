"""A properties file of another client is read, and each line that has to change is named."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.migrating.properties_files import findings_in_properties

FILE = """\
# of a Java client
bootstrap.servers=kafka:9092
session.timeout.ms=45000
sasl.jaas.config=PlainLoginModule required \\
    password='s3cret';
client.dns.lookup=default
ssl.endpoint.identification.algorithm=
grup.id=billing
request.timeout.ms=soon
interceptor.classes=com.example.Tracing
metadata.broker.list=a
empty=
"""


def test_each_line_that_has_to_change_is_named() -> None:
    found = findings_in_properties(FILE, "client.properties")
    assert [f"{one.line} {str(one).partition(': ')[0]}" for one in found] == [
        "3 session.timeout.ms",
        "4 sasl.jaas.config -> sasl.username (and sasl.password, or other keys, depending on the mechanism's login "
        "module)",
        "6 client.dns.lookup",
        "7 ssl.endpoint.identification.algorithm= -> ssl.endpoint.identification.algorithm=none",
        "8 grup.id",
        "9 request.timeout.ms",
        "10 interceptor.classes",
        "11 metadata.broker.list=a -> bootstrap.servers=a:9092",
    ]
    said = " ".join(map(str, found))
    assert "did you mean group.id?" in said
    assert "not 'soon'" in said
    assert "s3cret" not in said


def test_with_the_classic_protocol_its_keys_stay() -> None:
    assert findings_in_properties("group.protocol=classic\nsession.timeout.ms=45000\n", "file") == []


def test_a_value_that_makes_a_difference_decides() -> None:
    (kept,) = findings_in_properties("enable.partition.eof=false\n", "file")
    (refused,) = findings_in_properties("enable.partition.eof=true\n", "file")
    assert str(kept).startswith("enable.partition.eof: remove it: ")
    assert str(refused).startswith("enable.partition.eof=true: not supported: ")


def test_a_malformed_file_is_refused() -> None:
    with pytest.raises(ConfigError, match="file: line 1 has no key"):
        findings_in_properties("=1\n", "file")
