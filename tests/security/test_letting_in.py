"""Every way of being let in, to the embedded broker and to Kafka: a consumer in a group, an admin, the command line."""

from __future__ import annotations

import asyncio
import ssl

import pytest

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.admin import GroupAdmin
from tests.endtoend.reading import numbers, read, read_async
from tests.security.reaching import login, reaching, with_tls
from tests.support.certificates import Certificates
from tests.support.clients import create_topic, produce, stored_offsets, unique
from tests.support.secured_kafka import SecuredKafka

READING = {"auto_offset_reset": "earliest", "enable_auto_commit": False}


def topic_of(broker: SecuredKafka, listener: str, records: int = 20) -> str:
    """A topic with records 0 to ``records``-1, written past all security."""
    topic = create_topic(broker.in_the_clear[listener], "secured")
    produce(broker.in_the_clear[listener], topic, records)
    return topic


def read_as_member(config: dict[str, object], broker: SecuredKafka, listener: str) -> None:
    topic, group = topic_of(broker, listener), unique("secured")
    with Consumer(**config, group_id=group, **READING) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, 20)) == list(range(20))
        consumer.commit()
    assert stored_offsets(broker.in_the_clear[listener], group) == {0: 20}


@pytest.mark.parametrize(
    ("mechanism", "user"), [("PLAIN", "alice"), ("SCRAM-SHA-256", "alice"), ("SCRAM-SHA-512", "billing,eu=1")]
)
@pytest.mark.parametrize("listener", ["SASL_SSL", "SASL_PLAINTEXT"])
def test_a_member_reads_and_commits_who_has_logged_in(
    secured: SecuredKafka, certificates: Certificates, listener: str, mechanism: str, user: str
) -> None:
    security = with_tls(certificates, listener) if listener == "SASL_SSL" else {"security_protocol": listener}
    read_as_member(reaching(secured, listener, **security, **login(mechanism, user)), secured, listener)


def test_a_member_reads_and_commits_by_tls(secured: SecuredKafka, certificates: Certificates) -> None:
    read_as_member(reaching(secured, "SSL", **with_tls(certificates)), secured, "SSL")


def test_a_member_reads_and_commits_by_its_own_certificate(secured: SecuredKafka, certificates: Certificates) -> None:
    own = {"ssl_certificate_location": certificates.client}
    read_as_member(reaching(secured, "MUTUAL", **with_tls(certificates), **own), secured, "MUTUAL")


def test_a_ready_context_will_do(secured: SecuredKafka, certificates: Certificates) -> None:
    context = ssl.create_default_context(cafile=certificates.authority)
    config = reaching(secured, "SASL_SSL", security_protocol="SASL_SSL", ssl_context=context, **login("PLAIN"))
    read_as_member(config, secured, "SASL_SSL")


def test_an_async_consumer_is_let_in(secured: SecuredKafka, certificates: Certificates) -> None:
    topic = topic_of(secured, "SASL_SSL")
    config = reaching(secured, "SASL_SSL", **with_tls(certificates, "SASL_SSL"), **login("SCRAM-SHA-256"))

    async def main() -> None:
        async with AsyncConsumer(**config, group_id=unique("secured"), **READING) as consumer:
            await consumer.subscribe([topic])
            assert numbers(await read_async(consumer, 20)) == list(range(20))

    asyncio.run(main())


def test_an_admin_is_let_in(secured: SecuredKafka, certificates: Certificates) -> None:
    config = reaching(secured, "SASL_SSL", **with_tls(certificates, "SASL_SSL"), **login("SCRAM-SHA-512"))
    with GroupAdmin(**config) as admin:
        admin.list(timeout=20)
