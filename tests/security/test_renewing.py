"""Logins that hold for a time only are renewed on their connections, while records go on coming (KIP-368)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from kafka_nextgen import AuthenticationError, Consumer, Record
from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.reading import QUICK_CLASSIC, poll_until
from tests.security.ways import login
from tests.support.clients import create_topic, produce, unique
from tests.support.secured_kafka import PASSWORDS, SHORT_SESSION_S, SHORTER_SESSION_S, SecuredKafka, set_passwords
from tests.support.waiting import eventually

LONG_SESSION_MS = 60_000  # a member that is refused does not lose its group as well


def config_of(broker: SecuredKafka, **more: object) -> dict[str, object]:
    return {
        "bootstrap_servers": broker.servers["SHORT"],
        "security_protocol": "SASL_PLAINTEXT",
        "group_id": unique("renewed"),
        "auto_offset_reset": "earliest",
        "fetch_max_wait_ms": 100,
        **login("SCRAM-SHA-256"),
        **more,
    }


def test_logins_are_renewed_without_losing_a_connection(secured_real: SecuredKafka) -> None:
    topic = create_topic(secured_real.in_the_clear["SHORT"], "renewed")
    with Consumer(**config_of(secured_real)) as consumer:
        consumer.subscribe([topic])
        produce(secured_real.in_the_clear["SHORT"], topic, 10)
        records: list[Record] = []
        poll_until([consumer], lambda: len(records) >= 10, records)
        opened = consumer.metrics().connections.opened
        until = time.monotonic() + 1.1 * SHORT_SESSION_S  # by then a broker has hung up on who did not
        poll_until([consumer], lambda: time.monotonic() > until, records)
        produce(secured_real.in_the_clear["SHORT"], topic, 10)
        poll_until([consumer], lambda: len(records) >= 20, records)
        consumer.commit()
        connections = consumer.metrics().connections
    assert (connections.opened, connections.lost, connections.failed) == (opened, 0, 0)


@pytest.fixture
def changing_password(secured_embedded: SecuredKafka) -> Iterator[SecuredKafka]:
    yield secured_embedded
    set_passwords(secured_embedded.in_the_clear["SHORT"], PASSWORDS)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_refusal_in_the_middle_of_its_life_is_told_once_and_over_when_the_broker_accepts(
    changing_password: SecuredKafka, protocol: str
) -> None:
    in_the_clear = changing_password.in_the_clear["SHORT"]
    topic = create_topic(in_the_clear, "renewed")
    produce(in_the_clear, topic, 10)
    config = config_of(changing_password, group_protocol=protocol, reconnect_backoff_max_ms=50)
    if protocol == "classic":
        config |= QUICK_CLASSIC | {"session_timeout_ms": LONG_SESSION_MS}
    else:
        with GroupAdmin(bootstrap_servers=in_the_clear) as admin:
            admin.alter_config(str(config["group_id"]), {"consumer.session.timeout.ms": LONG_SESSION_MS})
    with Consumer(**config) as consumer:
        consumer.subscribe([topic])
        records: list[Record] = []
        poll_until([consumer], lambda: len(records) >= 10, records)
        set_passwords(in_the_clear, {"alice": "another"})
        changing_password.advance(2 * SHORTER_SESSION_S)
        with pytest.raises(AuthenticationError, match="during re-authentication"):
            poll_until([consumer], lambda: False)
        failed = consumer.metrics().connections.failed
        poll_until([consumer], lambda: consumer.metrics().connections.failed > failed + 2, records)
        assert "invalid credentials" in str(consumer.health().problem)
        set_passwords(in_the_clear, PASSWORDS)
        produce(in_the_clear, topic, 10)
        poll_until([consumer], lambda: len(records) >= 20, records)
        consumer.commit()
        eventually("it is well again", lambda: consumer.health().problem is None)


def test_a_password_that_a_callable_returns_may_be_rotated(changing_password: SecuredKafka) -> None:
    in_the_clear = changing_password.in_the_clear["SHORT"]
    topic = create_topic(in_the_clear, "renewed")
    password = PASSWORDS["alice"]
    asked_again = False

    def current() -> str:
        nonlocal asked_again
        asked_again = asked_again or password == "another"
        return password

    config = config_of(changing_password, sasl_password=current)
    with Consumer(**config) as consumer:
        consumer.subscribe([topic])
        records: list[Record] = []
        produce(in_the_clear, topic, 10)
        poll_until([consumer], lambda: len(records) >= 10, records)
        password = "another"
        set_passwords(in_the_clear, {"alice": password})
        changing_password.advance(3 * SHORTER_SESSION_S)
        produce(in_the_clear, topic, 10)
        poll_until([consumer], lambda: len(records) >= 20, records)
        assert (asked_again, consumer.metrics().connections.failed) == (True, 0)
