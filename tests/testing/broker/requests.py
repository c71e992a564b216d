"""The requests that tests of the broker send again and again, and how their answers are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import FetchRequest, ProduceRequest
from kafka_nextgen.wire.records import NewRecord, RecordLimits, decode_partition, encode_batch
from tests.support.plain_messages import message_of
from tests.support.waiting import eventually
from tests.testing.broker.client import Client

_LIST_OFFSETS = 10  # the highest version that Kafka 4.0 has
_LAST_BY_NAME = 12  # Fetch and Produce, whose next version names topics by id


def values(*texts: str) -> bytes:
    """Return a batch with a record for each text."""
    return encode_batch([NewRecord(text.encode(), timestamp=1_000 + i) for i, text in enumerate(texts)])


def produce_request(topic: str | TopicId, batch: bytes, *, partition: int = 0, acks: int = -1) -> ProduceRequest:
    named = {"name" if isinstance(topic, str) else "topic_id": topic}
    data = {**named, "partition_data": [{"index": partition, "records": batch}]}
    return message_of(ProduceRequest, transactional_id=None, acks=acks, timeout_ms=1_000, topic_data=[data])


def produce(client: Client, topic: str, batch: bytes, *, partition: int = 0, acks: int = -1, version: int = 12) -> Any:
    """Produce one batch, and return what is answered for its partition."""
    answer = client.ask(apis.PRODUCE, produce_request(topic, batch, partition=partition, acks=acks), version)
    return answer.responses[0].partition_responses[0]


def fetch_request(
    topic: str | TopicId,
    offset: int = 0,
    *,
    partitions: Sequence[int] = (0,),
    partition_max_bytes: int = 1_000_000,
    leader_epoch: int = -1,
    rack: str = "",
    **fields: Any,
) -> FetchRequest:
    """Ask for what there is at once, from ``offset`` on; ``fields`` are those of the whole request."""
    of_each = {"current_leader_epoch": leader_epoch, "partition_max_bytes": partition_max_bytes}
    asked = {
        "topic" if isinstance(topic, str) else "topic_id": topic,
        "partitions": [{"partition": number, "fetch_offset": offset, **of_each} for number in partitions],
    }
    usual = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 10_000_000, "rack_id": rack}
    return message_of(FetchRequest, topics=[asked], **{**usual, **fields})


def by_name_fetch(client: Client, topic: str, offset: int = 0, **how: Any) -> Any:
    """Fetch from a topic by name, and return what is answered for its partitions."""
    return client.ask(apis.FETCH, fetch_request(topic, offset, **how), _LAST_BY_NAME).responses[0].partitions


def records_of(partition: Any, offset: int = 0) -> list[tuple[int, str]]:
    """Return the offset and value of each record in a partition's answer, from ``offset`` on."""
    columns = decode_partition(partition.records, TopicPartition("any", 0), offset, RecordLimits())
    return [(at, value.decode()) for at, value in zip(columns.offsets, columns.values, strict=True) if value]


def list_offset(
    client: Client, topic: str, timestamp: int, *, partition: int = 0, leader_epoch: int = -1, isolation_level: int = 0
) -> Any:
    asked = {"partition_index": partition, "current_leader_epoch": leader_epoch, "timestamp": timestamp}
    topics = [{"name": topic, "partitions": [asked]}]
    how = {"replica_id": -1, "isolation_level": isolation_level, "timeout_ms": 1_000}
    return client.ask(apis.LIST_OFFSETS, version=_LIST_OFFSETS, topics=topics, **how).topics[0].partitions[0]


def wait_until_led(client: Client, topic: str) -> None:
    """Return once the broker leads partition 0; a real one lists a new topic a moment earlier."""
    eventually(f"{topic}-0 is led", lambda: list_offset(client, topic, -1).error_code == ErrorCode.NONE)


def metadata(client: Client, *names: str, may_create: bool = False, ids: Sequence[TopicId] = ()) -> Any:
    topics = [{"name": name} for name in names] + [{"name": None, "topic_id": topic_id} for topic_id in ids]
    return client.ask(apis.METADATA, topics=topics, allow_auto_topic_creation=may_create)


def topic_id_of(client: Client, name: str) -> TopicId:
    return metadata(client, name).topics[0].topic_id


def coordinator_of(client: Client, key: str, key_type: int = 0) -> Any:
    """What FindCoordinator says of a group, or with another type of another key."""
    return client.ask(apis.FIND_COORDINATOR, coordinator_keys=[key], key_type=key_type).coordinators[0]
