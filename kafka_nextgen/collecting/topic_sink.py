"""A sink that writes to a Kafka topic: one record for each event, with its JSON line as value and its group as key.

The key puts all events of a group into one partition. Records are written at least once: if a response is lost, the
batch is written again, and readers recognize events by ``source`` and ``seq``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import AuthenticationError, BrokerError, KafkaNextgenError
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.file_sink import encode_line
from kafka_nextgen.history.queued_sink import QUEUE_CAPACITY, DeliveryResult, QueuedSink
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.io_thread import IoThread
from kafka_nextgen.wire.records import Compression, NewRecord

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config.settings import ConsumerSettings

__all__ = ["TopicSink"]

#: The time limit of one attempt to write a batch.
TIMEOUT_S = 10.0
#: Brokers with default settings reject larger requests.
_MAX_REQUEST_BYTES = 500_000
_CLOSE_TIMEOUT_S = 1.0

#: Permanent errors of the records themselves.
_PERMANENT_ERRORS = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_RECORD})


class TopicSink(QueuedSink):
    """Writes events to a topic, with its own thread and connection.

    If the cluster is unavailable, the sink logs this once and retries every second; events wait in the queue, and are
    dropped and counted when it is full. The topic should exist, unless brokers create topics automatically.

    Args:
        config: A consumer's configuration; its keys for brokers and connections are used.
        topic: The topic's name.
        capacity: How many events may wait.
        compression: The compression of batches.
        settings: More configuration by Python names: ``TopicSink(topic="history", bootstrap_servers=...)``.

    Raises ConfigError for a wrong configuration, but no errors of the cluster.
    """

    def __init__(
        self,
        config: Mapping[str, object] | ConsumerConfig | None = None,
        *,
        topic: str,
        capacity: int = QUEUE_CAPACITY,
        compression: Compression = Compression.ZSTD,
        **settings: Unpack[ConsumerSettings],
    ) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        super().__init__(TopicTarget(parsed, topic, compression), f"topic {topic}", capacity=capacity)


class TopicTarget:
    """Writes events as records of ``topic``; connects on first use."""

    def __init__(self, config: ConsumerConfig, topic: str, compression: Compression = Compression.NONE) -> None:
        self._config = config
        self._topic = topic
        self._compression = compression
        self._thread: IoThread | None = None
        self._sending: Future[None] | None = None
        self._cluster: ClusterClient | None = None
        self._producer: Producer | None = None

    def deliver(self, events: Sequence[Event]) -> DeliveryResult:
        """Write the events in parts; an event with fields of wrong types is rejected."""
        written = 0
        for part in _parts(_records(events)):
            delivered = self._write(part)
            written += delivered.written
            if delivered.error is not None or delivered.rejected:
                return DeliveryResult(written, delivered.rejected, delivered.error)
        return DeliveryResult(written, rejected=int(written < len(events)))

    def interrupt(self) -> None:
        """Cancel the current request."""
        sending = self._sending
        if sending is not None:
            sending.cancel()

    def close(self) -> None:
        """Close the connections."""
        if self._thread is None:
            return
        try:
            if self._cluster is not None:
                self._thread.submit(self._cluster.close()).result(_CLOSE_TIMEOUT_S)
        except (KafkaNextgenError, FutureTimeoutError, CancelledError) as failure:
            log_failure(failure)
        finally:
            self._thread.stop(_CLOSE_TIMEOUT_S)

    def _write(self, records: list[NewRecord]) -> DeliveryResult:
        if self._thread is None:
            self._thread = IoThread(f"kafka_nextgen history {self._topic}", log_failure, "TopicSink")
        try:
            self._sending = self._thread.submit(self._send(records))
            self._sending.result()
        except BrokerError as error:
            if error.code not in _PERMANENT_ERRORS:
                return DeliveryResult(0, error=error)
            if len(records) == 1:
                return DeliveryResult(0, rejected=1)
            first = self._write(records[: len(records) // 2])
            if first.rejected or first.error is not None:
                return first
            second = self._write(records[len(records) // 2 :])
            return DeliveryResult(first.written + second.written, second.rejected, second.error)
        except (KafkaNextgenError, OSError, CancelledError) as error:
            return DeliveryResult(0, error=error)
        return DeliveryResult(len(records))

    async def _send(self, records: list[NewRecord]) -> None:
        if self._producer is None:
            self._cluster = await connect(self._config, TIMEOUT_S)
            self._producer = Producer(self._cluster, self._topic, compression=self._compression, timeout_s=TIMEOUT_S)
        try:
            await self._producer.send(records)
        except AuthenticationError:  # permanent for this client, but a new one may read new credentials
            cluster, self._cluster, self._producer = self._cluster, None, None
            if cluster is not None:
                await cluster.close()
            raise


def _records(events: Sequence[Event]) -> list[NewRecord]:
    """Return the records of the events before the first one that can't be encoded."""
    records = []
    for event in events:
        line = encode_line(event)
        if line is None:
            break
        key = event.group.encode("utf-8", "backslashreplace")
        records.append(NewRecord(line, key=key, timestamp=event.at))
    return records


def _parts(records: Sequence[NewRecord]) -> list[list[NewRecord]]:
    """Split the records into parts for one request each."""
    parts: list[list[NewRecord]] = []
    size = _MAX_REQUEST_BYTES
    for record in records:
        length = len(record.value or b"") + len(record.key or b"")
        if size + length > _MAX_REQUEST_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(record)
        size += length
    return parts
