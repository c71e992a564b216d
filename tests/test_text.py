"""Text from elsewhere on one line, and names that may have been meant."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen.errors import DisconnectedError, TlsError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.text import MOST_SHOWN, describe_error, nearest, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("orders[0-3] größe 東京", "orders[0-3] größe 東京"),
        ("a\nERROR forged", "a\\nERROR forged"),
        ("a\r\tb", "a\\r\\tb"),
        ("\x1b[2Ja", "\\x1b[2Ja"),
        ("\x9b2Ja", "\\x9b2Ja"),
        ("a\u202eb", "a\\u202eb"),
        ("caf\udce9", "caf\\udce9"),
        ("a\u2028b", "a\\u2028b"),
        ("", ""),
    ],
)
def test_what_is_not_printable_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_what_is_long_is_cut_and_says_how_long_it_was() -> None:
    assert printable("a" * 60_000, 10) == "aaaaaaaaaa... (60000 characters)"
    assert printable("a" * 10, 10) == "a" * 10


def test_a_log_has_one_line_for_each_message(caplog: pytest.LogCaptureFixture) -> None:
    logger_of("kafka_nextgen.test").warning("%s left after %d s", "a\nforged\x1b", 3)
    logger_of("kafka_nextgen.test").warning("host %s", "h" * 60_000)
    assert caplog.messages[0] == "a\\nforged\\x1b left after 3 s"
    assert len(caplog.messages[1]) < MOST_SHOWN + 100


def test_what_is_printable_is_logged_with_its_arguments(caplog: pytest.LogCaptureFixture) -> None:
    logger_of("kafka_nextgen.test").warning("%s left after %d s", "a", 3)
    assert caplog.records[0].args == ("a", 3)


def test_every_logger_is_such_a_one() -> None:
    import kafka_nextgen.testing.broker.server
    import kafka_nextgen.transport.pool

    for module in (kafka_nextgen.testing.broker.server, kafka_nextgen.transport.pool):
        logger = logging.getLogger(module.__name__)
        assert logger.filters


def test_an_error_is_one_line_however_a_peer_is_called() -> None:
    address = ServerAddress("h\n" + "x" * 60_000, 9092)
    assert len(str(address)) < 300
    assert "\n" not in str(address)
    assert str(DisconnectedError("a\nb")) == "a\\nb"
    assert len(str(DisconnectedError("a" * 60_000))) < MOST_SHOWN + 100


def test_an_error_that_was_not_foreseen_is_told_without_its_values() -> None:
    error = UnicodeEncodeError("utf-8", "s3cret", 0, 1, "surrogates not allowed")
    assert "s3cret" not in describe_error(error)
    assert describe_error(TimeoutError()) == "TimeoutError"
    assert describe_error(TlsError("no")) == "TlsError: no"


def test_only_what_is_near_may_have_been_meant() -> None:
    assert nearest("grup.id", ["group.id", "client.id"]) == "group.id"
    assert nearest("api.version", ["join.reason"]) is None
