"""What becomes of clients that are not let in: they hear why at once, try again slowly, and tell no secret."""

from __future__ import annotations

import asyncio
import logging
import traceback

import pytest

from kafka_nextgen import AuthenticationError, Consumer, TransportError
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.settings import TransportSettings
from tests.security.ways import REFUSED, REFUSED_BY_KAFKA, Refused, login
from tests.support.certificates import Certificates
from tests.support.clients import unique
from tests.support.secured_kafka import SecuredKafka
from tests.support.waiting import GUARD_S, eventually

PASSWORD = "gue55ed-wr0ng"


def refusal(broker: SecuredKafka, certificates: Certificates, refused: Refused) -> TransportError:
    """What a first attempt comes to; a consumer repeats what may pass, and tells the last failure."""

    async def attempt() -> TransportError:
        config = ConsumerConfig.parse(**refused.way.config(broker, certificates))
        client = ClusterClient(TransportSettings.of(config))
        try:
            with pytest.raises(TransportError) as caught:
                await client.start()
            return caught.value
        finally:
            await client.close()

    return asyncio.run(attempt())


def is_as_expected(error: TransportError, refused: Refused) -> bool:
    return isinstance(error, refused.kind) and refused.says in str(error)


@pytest.mark.parametrize("name", REFUSED)
def test_who_is_not_let_in_is_told_why(secured_embedded: SecuredKafka, certificates: Certificates, name: str) -> None:
    error = refusal(secured_embedded, certificates, REFUSED[name])
    assert is_as_expected(error, REFUSED[name]), repr(error)


def test_kafka_tells_the_same(secured_real: SecuredKafka, certificates: Certificates) -> None:
    refused = {**REFUSED, **REFUSED_BY_KAFKA}
    errors = {name: refusal(secured_real, certificates, refused[name]) for name in refused}
    assert {name: error for name, error in errors.items() if not is_as_expected(error, refused[name])} == {}


@pytest.fixture
def shut_out(secured_embedded: SecuredKafka) -> dict[str, object]:
    """Return a configuration that no broker lets in."""
    return {
        "bootstrap_servers": secured_embedded.servers["SASL_PLAINTEXT"],
        "security_protocol": "SASL_PLAINTEXT",
        "group_id": unique("secured"),
        **login("PLAIN", password=PASSWORD),
    }


def test_a_poll_raises_at_once_and_every_later_one_when_its_time_is_over(shut_out: dict[str, object]) -> None:
    """The same credentials are not shown again during the backoff."""
    with Consumer(**shut_out, reconnect_backoff_max_ms=3_600_000) as consumer:
        consumer.subscribe(["orders"])
        for timeout_s in (3600, 0.01, 0.01):
            with pytest.raises(AuthenticationError, match="Invalid username or password"):
                consumer.poll(timeout=timeout_s)
        with pytest.raises(AuthenticationError):
            consumer.topics(timeout=0.01)
        assert "Invalid username or password" in str(consumer.health().problem)
        assert consumer.metrics().connections.failed == 1


def test_no_secret_is_in_a_log_an_error_or_a_repr(
    shut_out: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        with Consumer(**{**shut_out, "sasl_mechanism": mechanism}) as consumer:
            consumer.subscribe(["orders"])
            with pytest.raises(AuthenticationError) as caught:
                consumer.poll(timeout=GUARD_S)
            told += traceback.format_exception(caught.value)
            told += [repr(consumer.config), repr(consumer.health()), repr(consumer.metrics())]
    eventually("the refusals are in the log", lambda: "Authentication failed" in caplog.text)
    told += [record.getMessage() + repr(record.args) + str(record.exc_text) for record in caplog.records]
    assert [text for text in told if PASSWORD in text or "wr0ng" in text] == []
