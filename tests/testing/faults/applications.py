"""Two consumers of one partition, for the same test: one that expects failures, and one that does not.

``Naive`` has the habits of hurried code: it takes an answer without records for the end of the topic, whatever error or
throttle time it has, does not look at the answer to a commit, does not check checksums, waits for a short time only,
stays with one node and one login, keeps its offset whatever happens to the log, and begins again where it had begun
after it lost its connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.records import RecordLimits, decode_partition
from tests.support.plain_messages import message_of
from tests.testing.broker.client import Client
from tests.testing.broker.requests import fetch_request
from tests.testing.broker.security.logging_in import log_in

USER, PASSWORD = "alice", "secret"
ORDERS = TopicPartition("orders", 0)

_FETCH, _COMMIT = 10, 7  # versions that were current in 2019


class Application(Protocol):
    """Reads values from orders[0], and commits its position for the group billing."""

    #: Whether it waits for an answer, however long that takes.
    is_patient: bool

    def read(self, count: int) -> list[str]:
        """Read so many values more, or fewer if there are no more."""

    def commit(self) -> None:
        """Commit the position."""

    def close(self) -> None:
        """Close the connections."""


class Careful:
    """A ``Consumer``, and a loop that ends with the last record rather than with an empty poll."""

    is_patient = True

    def __init__(self, bootstrap_servers: str, is_secured: bool, _patience_s: float | None) -> None:
        login: dict[str, object] = {"sasl_mechanism": "PLAIN", "sasl_username": USER, "sasl_password": PASSWORD}
        security: dict[str, object] = {"security_protocol": "SASL_PLAINTEXT", **login} if is_secured else {}
        usual = {"group_id": "billing", "auto_offset_reset": "earliest", "enable_auto_commit": False}
        self._consumer = Consumer(bootstrap_servers=bootstrap_servers, **usual, **security)
        self._consumer.assign([ORDERS])

    def read(self, count: int) -> list[str]:
        values: list[str] = []
        while len(values) < count:
            try:
                records = self._consumer.poll(timeout=0.05)
            except CorruptRecordError:
                self._consumer.seek(ORDERS, self._consumer.position(ORDERS))  # the next answer may be whole
                continue
            values += [bytes(record.value or b"").decode() for record in records]
        return values

    def commit(self) -> None:
        self._consumer.commit()

    def close(self) -> None:
        self._consumer.close()


class Naive:
    """A consumer without a library, written in an hour; it waits ``patience_s`` for records."""

    is_patient = False

    def __init__(self, bootstrap_servers: str, is_secured: bool, patience_s: float | None) -> None:
        self._servers, self._is_secured, self._patience_s = bootstrap_servers, is_secured, patience_s
        self._offset = 0
        self._connect()

    def _connect(self) -> None:
        self._client = Client(self._servers)
        if self._is_secured:
            log_in(self._client, USER, PASSWORD)

    def read(self, count: int) -> list[str]:
        values: list[str] = []
        while len(values) < count:
            more = self._fetch()
            if not more:
                break  # the end of the topic
            values += more
        return values[:count]

    def _fetch(self) -> list[str]:
        self._client.send(fetch_request("orders", self._offset), _FETCH)
        if self._patience_s is not None and not self._client.has_answer(self._patience_s):
            self.close()
            self._connect()  # it may have been the connection
            return []
        (topic,) = self._client.receive(apis.FETCH, _FETCH).responses or [None]
        records = b"" if topic is None else topic.partitions[0].records
        columns = decode_partition(records, ORDERS, self._offset, RecordLimits(), check_crc=False)
        values = [bytes(value or b"").decode() for value in columns.values]
        self._offset += len(values)
        return values

    def commit(self) -> None:
        each = {"partition_index": 0, "committed_offset": self._offset}
        topics = [{"name": "orders", "partitions": [each]}]
        request = message_of(apis.OFFSET_COMMIT.request, group_id="billing", topics=topics)
        try:
            self._client.ask(apis.OFFSET_COMMIT, request, _COMMIT)
        except ConnectionError:  # begin again
            self.close()
            self._offset = 0
            self._connect()

    def close(self) -> None:
        self._client.close()


#: Makes an application from its bootstrap servers, whether they want a login, and its patience in seconds.
MakeApplication = Callable[[str, bool, "float | None"], Application]
