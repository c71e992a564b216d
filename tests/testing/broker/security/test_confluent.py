"""librdkafka against every listener: the clients of others must not tell this broker's security from Kafka's."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, KafkaError, Producer

from kafka_nextgen.testing import Cluster
from tests.support.certificates import Certificates
from tests.support.clients import unique
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.security.conftest import PASSWORDS


def options(cluster: Cluster, protocol: str, mechanism: str | None, user: str, password: str) -> dict[str, object]:
    sasl = {} if mechanism is None else {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}
    return {"bootstrap.servers": cluster.bootstrap_servers_of(protocol), "security.protocol": protocol, **sasl}


@pytest.mark.parametrize(
    ("protocol", "mechanism", "user"),
    [
        ("SASL_SSL", "PLAIN", "alice"),
        ("SASL_SSL", "SCRAM-SHA-256", "alice"),
        ("SASL_SSL", "SCRAM-SHA-512", "billing,eu=1"),
        ("SASL_PLAINTEXT", "SCRAM-SHA-256", "billing,eu=1"),
        ("SSL", None, "alice"),
    ],
)
def test_records_come_through_every_listener(
    secured: Cluster, certificates: Certificates, protocol: str, mechanism: str | None, user: str
) -> None:
    common = options(secured, protocol, mechanism, user, PASSWORDS[user]) | {"ssl.ca.location": certificates.authority}
    topic = unique("orders")
    secured.create_topic(topic)
    producer = Producer(common)
    producer.produce(topic, b"one")
    assert producer.flush(GUARD_S) == 0
    consumer = Consumer(common | {"group.id": unique("billing"), "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    message = consumer.poll(GUARD_S)
    assert message.value() == b"one"
    consumer.close()


@pytest.mark.parametrize(("user", "mechanism"), [("alice", "PLAIN"), ("nobody", "SCRAM-SHA-512")])
def test_a_wrong_password_is_an_error_of_authentication(secured: Cluster, mechanism: str, user: str) -> None:
    errors: list[int] = []
    how = options(secured, "SASL_PLAINTEXT", mechanism, user, "a guess")
    client = Producer(how | {"error_cb": lambda error: errors.append(error.code()), "log_level": 0})

    def has_failed() -> bool:
        client.poll(0.05)
        return KafkaError._AUTHENTICATION in errors

    eventually("the client is told that it may not log in", has_failed)
