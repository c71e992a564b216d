"""A fetch that would exceed its client's quota, and what every Kafka answers to it."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from tests.broker.client import Client
from tests.broker.quotas.quota_requests import alter
from tests.broker.requests import fetch_request, produce, records_of, values
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

BATCH = 2_000  # bytes; more than the quota allows for all windows together
QUOTA = 100
VERSION = 12


def test_no_records_are_given_and_no_session_begins(kafka: KafkaServer) -> None:
    topic, name = create_topic(kafka.bootstrap_servers, "limited"), unique("limited")

    def begin_session() -> Any:
        with Client(kafka.bootstrap_servers, client_id=name) as reader:  # one that is left alone afterwards
            return reader.ask(apis.FETCH, fetch_request(topic).replaced(session_epoch=0), VERSION)

    with Client(kafka.bootstrap_servers) as admin:
        produce(admin, topic, values("a" * BATCH))
        alter(admin, QUOTA, key="consumer_byte_rate", of={"client-id": name})
        try:
            eventually("the quota holds", lambda: begin_session().throttle_time_ms > 0)
            answer = begin_session()
            assert 5_000 < answer.throttle_time_ms < 20_000, "what was not sent does not count"
            assert (answer.error_code, answer.session_id, answer.responses) == (ErrorCode.NONE, 0, ())
        finally:
            alter(admin, 0, key="consumer_byte_rate", of={"client-id": name}, remove=True)
        eventually("no quota holds", lambda: begin_session().throttle_time_ms == 0)
        answer = begin_session()
        assert answer.session_id != 0
        assert records_of(answer.responses[0].partitions[0]) == [(0, "a" * BATCH)]
