"""The calls of confluent-kafka's consumers (2.16.1), and their replacements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.migrating.calls import Call, Calls, becomes, gone, kept, same

__all__ = ["CONFLUENT_KAFKA"]

_PRODUCER: Final = kept("keep confluent-kafka for producing")
_SHARE: Final = kept("share groups are not supported: keep confluent-kafka for them")
_OFFSET_BESIDE: Final = "a TopicPartition here is only a topic and a number: offsets are the values of a mapping"
_TAKES_OVER: Final = (
    "remove it from rebalance callbacks: partitions are taken over without it; elsewhere assign() all partitions"
)

_NAMES: Final[Calls] = {
    "Consumer": becomes("Consumer", "of kafka_nextgen"),
    "DeserializingConsumer": becomes("Consumer", "with key_deserializer and value_deserializer, which take the same"),
    "AIOConsumer": becomes("AsyncConsumer"),
    "AsyncDeserializingConsumer": becomes("AsyncConsumer", "deserializers can be async"),
    "Message": becomes("Record"),
    "Messages": becomes("Records"),
    "TopicPartition": becomes("TopicPartition", f"of kafka_nextgen; {_OFFSET_BESIDE}"),
    "KafkaException": becomes("KafkaNextgenError", "the base of one class for each kind of error"),
    "KafkaError": becomes("BrokerError", "has code, retriable, group, member and partition"),
    "ConsumeError": becomes("KafkaNextgenError", "poll() raises it"),
    "KeyDeserializationError": becomes("DeserializationError", "its field is key"),
    "ValueDeserializationError": becomes("DeserializationError", "its field is value"),
    "IllegalStateException": becomes("MisuseError"),
    "ConcurrentModificationException": becomes("ConcurrentUseError"),
    "ThrottleEvent": becomes("metrics()", "has the time for which brokers throttled this client"),
    "OFFSET_BEGINNING": becomes("seek_to_beginning([partition])"),
    "OFFSET_END": becomes("seek_to_end([partition])"),
    "OFFSET_INVALID": becomes("None", "where there is no offset"),
    "OFFSET_STORED": becomes("seek(partition, committed([partition])[partition])"),
    "TIMESTAMP_CREATE_TIME": becomes("TimestampType.CREATE_TIME"),
    "TIMESTAMP_LOG_APPEND_TIME": becomes("TimestampType.LOG_APPEND_TIME"),
    "TIMESTAMP_NOT_AVAILABLE": becomes("TimestampType.NONE"),
    "ConsumerGroupState": becomes("GroupState"),
    "ConsumerGroupType": becomes("GroupType"),
    "ConsumerGroupTopicPartitions": becomes("GroupAdmin.offsets(group)"),
    "IsolationLevel": becomes("isolation_level", "a key of the configuration"),
    "Producer": _PRODUCER,
    "SerializingProducer": _PRODUCER,
    "AIOProducer": _PRODUCER,
    "AsyncSerializingProducer": _PRODUCER,
    "ProduceError": _PRODUCER,
    "KeySerializationError": _PRODUCER,
    "ValueSerializationError": _PRODUCER,
    "AdminClient": kept("keep it for topics, users and ACLs; for groups, GroupAdmin can do more"),
    "ShareConsumer": _SHARE,
    "DeserializingShareConsumer": _SHARE,
    "AcknowledgeType": _SHARE,
    "ElectionType": kept("an argument of AdminClient"),
    "Node": kept("a result of AdminClient"),
    "TopicCollection": kept("an argument of AdminClient"),
    "TopicPartitionInfo": kept("a result of AdminClient"),
    "Uuid": kept("topic ids are uuid.UUID here"),
}

_CONSUMER: Final[Calls] = {
    "assign": becomes(
        "assign(partitions)", f"the members of a group subscribe(); to start elsewhere, seek(). {_TAKES_OVER}"
    ),
    "assignment": same("a frozenset, not a list"),
    "close": same("gives up after timeout=30.0 seconds; with auto-commit, commits everything that was returned"),
    "cluster_id": becomes("GroupAdmin.cluster_id()"),
    "commit": becomes("commit()", "waits for the result, which commit_async() does not; raises CommitFailedError"),
    "commit(message=)": becomes("commit(record)"),
    "commit(offsets=)": becomes("commit({partition: offset})", "a mapping, whose values are ints or OffsetAndMetadata"),
    "commit(asynchronous=)": becomes(
        "commit() for False, commit_async() for True", "True is confluent-kafka's default"
    ),
    "committed": becomes(
        "committed(partitions)", "returns a dict: an OffsetAndMetadata for each partition, None if it has no offset"
    ),
    "consume": becomes("poll(timeout, max_records)", "returns Records; without a timeout it waits one second"),
    "consume(num_messages=)": becomes("poll(max_records=)", "500 without it (max.poll.records), not 1"),
    "consumer_group_metadata": becomes("group_metadata()", "confluent-kafka's Producer accepts it"),
    "get_watermark_offsets": becomes(
        "beginning_offsets([partition])[partition] and end_offsets([partition])[partition]"
    ),
    "get_watermark_offsets(cached=)": becomes("lag()[partition]", "needs no request; end_offsets() queries the broker"),
    "incremental_assign": gone(_TAKES_OVER),
    "incremental_unassign": gone(_TAKES_OVER),
    "list_topics": becomes("describe_topics()", "ids and partitions by name; topics() returns only names"),
    "memberid": becomes("health().member_id"),
    "offsets_for_times": becomes(
        "offsets_for_times({partition: timestamp_ms})",
        "returns an OffsetAndTimestamp for each partition; its offset is -1 if no record has this timestamp or a later "
        "one",
    ),
    "pause": same(),
    "poll": becomes(
        "poll(timeout)",
        "returns Records, a batch that is empty after the timeout, instead of one message or None; or loop over the "
        "consumer itself, which yields one record after the other",
    ),
    "position": becomes("position(partition)", "one partition; returns an int"),
    "resume": same(),
    "seek": becomes("seek(partition, offset)"),
    "set_sasl_credentials": becomes("sasl_password=function", "a function is called for each login"),
    "store_offsets": becomes(
        "store_offsets({partition: offset})", "with enable_auto_offset_store=False; may be called from any thread"
    ),
    "store_offsets(message=)": becomes("store_offsets(record)"),
    "subscribe": same("but a name that begins with ^ is a pattern in confluent-kafka only"),
    "subscribe(^)": becomes("SubscriptionPattern(...)", "instead of a list; in RE2's syntax, and for whole names"),
    "subscribe(on_assign=)": same(
        "partitions are those added, and assigned already: seek() on the function's first argument to start elsewhere"
    ),
    "subscribe(on_revoke=)": same(
        "partitions are only those given up, never lost ones; commit() on its first argument"
    ),
    "subscribe(on_lost=)": same("its first argument can't commit; without it, nothing is called for lost partitions"),
    "unassign": becomes("unsubscribe()", "remove it from rebalance callbacks: partitions are given up without it"),
    "unsubscribe": same(),
}

_MESSAGE: Final[Calls] = {
    "is None": becomes("not records", "poll() returns an empty batch; nothing to check in a loop over the consumer"),
    "topic": becomes("record.topic"),
    "partition": becomes("record.partition"),
    "offset": becomes("record.offset"),
    "key": becomes("record.key"),
    "value": becomes("record.value"),
    "headers": becomes(
        "record.headers", "a tuple of pairs, empty without headers, not None; a Producer wants list(record.headers)"
    ),
    "timestamp": becomes("record.timestamp", "only the milliseconds; record.timestamp_type is a TimestampType"),
    "leader_epoch": becomes("record.leader_epoch", "-1 without one, not None"),
    "error": gone("remove it: poll() raises errors, and the end of a partition is not a record"),
    "latency": gone("only messages of producers have it"),
    "delivery_count": gone("only messages of share groups have it"),
    "deserialized_key": becomes("record.key", "with key_deserializer"),
    "deserialized_value": becomes("record.value", "with value_deserializer"),
    "set_topic": becomes("record._replace(topic=...)", "returns a copy"),
    "set_key": becomes("record._replace(key=...)", "returns a copy"),
    "set_value": becomes("record._replace(value=...)", "returns a copy"),
    "set_headers": becomes("record._replace(headers=...)", "returns a copy"),
    "set_error": gone("records have no errors"),
}

_TOPIC_PARTITION: Final[Calls] = {
    "topic": same(),
    "partition": same(),
    "offset": gone(_OFFSET_BESIDE),
    "metadata": becomes("OffsetAndMetadata.metadata"),
    "leader_epoch": becomes("OffsetAndMetadata.leader_epoch", "-1 without one"),
    "error": becomes(
        "CommitFailedError.failed", "or ``failed`` of the result, which has the partitions that could not be queried"
    ),
}

_KAFKA_ERROR: Final[Calls] = {
    "code": becomes("error.code", "Kafka's number; only a BrokerError has one"),
    "name": becomes("type(error).__name__", "a class for each kind of error"),
    "str": becomes("str(error)"),
    "retriable": becomes("error.retriable"),
    "fatal": gone("later polls raise permanent errors again: leave the loop at the first error that you don't expect"),
    "txn_requires_abort": kept("an error of confluent-kafka's Producer"),
}


def _without_wait(calls: Calls) -> dict[str, Call]:
    """The calls of the asyncio consumer, which has no ``memberid``."""
    return {name: call for name, call in calls.items() if name != "memberid"}


#: Rows by class. The class "" has the names that a program imports.
CONFLUENT_KAFKA: Final[Mapping[str, Calls]] = {
    "": _NAMES,
    "Consumer": _CONSUMER,
    "AIOConsumer": _without_wait(_CONSUMER),
    "Message": _MESSAGE,
    "TopicPartition": _TOPIC_PARTITION,
    "KafkaError": _KAFKA_ERROR,
}
