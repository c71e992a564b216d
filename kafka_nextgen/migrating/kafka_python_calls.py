"""The calls of kafka-python's consumer (3.0.12), and their replacements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.migrating.calls import Calls, becomes, gone, kept, same

__all__ = [
    "ASSIGNOR",
    "BY_PARTITION",
    "ERRORS",
    "KAFKA_PYTHON",
    "PATTERN",
    "RECORD",
    "STRUCTS",
    "TIMES",
]

ASSIGNOR: Final = becomes(
    "group_remote_assignor",
    "the broker assigns; with group_protocol=classic, partition_assignment_strategy takes names",
)
BY_PARTITION: Final = "a collection: [partition], not partition, ..."
_LISTENER_NOTE: Final = "has a first argument with what the method may call while it runs, such as consumer.commit()"
PATTERN: Final = becomes(
    "subscribe(SubscriptionPattern(pattern))",
    "in RE2's syntax, and for whole names: orders.* where orders matched the beginning of a name",
)

TIMES: Final = becomes(
    "offsets_for_times({partition: timestamp_ms})",
    "offset is -1 if no record has this timestamp or a later one; the result is not None",
)

_MS: Final = "seconds, not milliseconds"

#: Errors that both Python clients have under the same names.
ERRORS: Final[Calls] = {
    "KafkaError": becomes("KafkaNextgenError"),
    "KafkaTimeoutError": becomes("RequestTimeoutError"),
    "KafkaConnectionError": becomes("OutageError"),
    "NoBrokersAvailable": becomes("NoBrokersError", "raised by poll(), not by the constructor"),
    "IllegalStateError": becomes("MisuseError"),
    "UnsupportedVersionError": becomes("UnsupportedProtocolError"),
    "CommitFailedError": becomes("CommitFailedError", "failed has the reason for each partition"),
    "NoOffsetForPartitionError": becomes("OffsetOutOfRangeError"),
    "OffsetOutOfRangeError": becomes("OffsetOutOfRangeError"),
    "CorruptRecordError": becomes("CorruptRecordError"),
    "UnknownTopicOrPartitionError": becomes("UnknownTopicError"),
    "TopicAuthorizationFailedError": becomes("TopicAuthorizationError"),
    "GroupAuthorizationFailedError": becomes("GroupAuthorizationError"),
    "UnknownMemberIdError": gone("the member joins again by itself; a commit raises CommitFailedError"),
    "IllegalGenerationError": gone("the member joins again by itself; a commit raises CommitFailedError"),
    "RebalanceInProgressError": gone("commits are retried automatically, up to their timeouts"),
}

#: The named tuples and fields that both Python clients have.
STRUCTS: Final[Calls] = {
    "TopicPartition": becomes("TopicPartition", "of kafka_nextgen: others raise TypeError"),
    "OffsetAndMetadata": becomes(
        "OffsetAndMetadata(offset, leader_epoch, metadata)",
        "the arguments have another order: pass them by name; an int is accepted, too",
    ),
    "OffsetAndTimestamp": becomes("OffsetAndTimestamp"),
    "ConsumerRecord": becomes("Record"),
}

RECORD: Final[Calls] = {
    "topic": same(),
    "partition": same(),
    "leader_epoch": same(),
    "offset": same(),
    "timestamp": same("milliseconds, -1 without one"),
    "timestamp_type": same("a TimestampType, which is an int"),
    "key": same(),
    "value": same(),
    "headers": same("a tuple of pairs, not a list; producers want list(record.headers)"),
    "checksum": gone("batches have one checksum, which is checked (check.crcs)"),
    "serialized_key_size": gone("len(record.key), without a deserializer"),
    "serialized_value_size": gone("len(record.value), without a deserializer"),
    "serialized_header_size": gone("record.headers has the keys and values"),
}

_NAMES: Final[Calls] = {
    "KafkaConsumer": becomes("Consumer", "takes no topics: subscribe() to them. It connects with the first call"),
    "ConsumerRebalanceListener": becomes("RebalanceListener"),
    "AsyncConsumerRebalanceListener": becomes("AsyncRebalanceListener", "for AsyncConsumer"),
    **STRUCTS,
    "AbstractTokenProvider": becomes("oauth_cb=function", "it returns a token, or (token, time of expiry)"),
    "AbstractPartitionAssignor": becomes("PartitionAssignor", "passed as group_local_assignors"),
    "CooperativeStickyPartitionAssignor": ASSIGNOR,
    "RangePartitionAssignor": ASSIGNOR,
    "RoundRobinPartitionAssignor": ASSIGNOR,
    "StickyPartitionAssignor": ASSIGNOR,
    "ConsumerGroupMetadata": becomes("ConsumerGroupMetadata", "group_metadata() returns it"),
    "IsolationLevel": becomes("IsolationLevel"),
    "KafkaProducer": kept("keep kafka-python for producing"),
    "KafkaAdminClient": kept("keep it for topics, users and ACLs; for groups, GroupAdmin can do more"),
    "OffsetSpec": kept("an argument of KafkaAdminClient"),
    "TopicPartitionReplica": kept("an argument of KafkaAdminClient"),
    "Deserializer": kept("its objects are accepted as key_deserializer and value_deserializer"),
    "Serializer": kept("keep kafka-python for producing"),
    "DefaultSerializer": kept("keep kafka-python for producing"),
    "JsonSerializer": kept("keep kafka-python for producing"),
    **ERRORS,
}

_CONSUMER: Final[Calls] = {
    "assign": same(),
    "assignment": same("a frozenset, which does not change"),
    "beginning_offsets": same(),
    "beginning_offsets(timeout_ms=)": becomes("beginning_offsets(timeout=)", _MS),
    "bootstrap": gone("the first call that needs a broker connects: remove it"),
    "bootstrap_connected": becomes("health().problem", "None if there is no problem; never blocks"),
    "close": same("if an error ends a with block, records that were being processed are not committed"),
    "close(autocommit=)": gone("autocommit=False is enable_auto_commit=False, for the whole consumer"),
    "close(timeout_ms=)": becomes("close(timeout=)", f"{_MS}; 30 without it"),
    "commit": same("values can be ints, too; raises CommitFailedError"),
    "commit(timeout_ms=)": becomes("commit(timeout=)", _MS),
    "commit_async": same("returns a concurrent.futures.Future; callback(offsets, error), with None without an error"),
    "committed": becomes(
        "committed([partition])[partition]", "one request for many; an OffsetAndMetadata, not an int, or None"
    ),
    "committed(metadata=)": gone("the result has offset and metadata: remove it"),
    "committed(timeout_ms=)": becomes("committed(timeout=)", _MS),
    "end_offsets": same(),
    "end_offsets(timeout_ms=)": becomes("end_offsets(timeout=)", _MS),
    "group_metadata": same("kafka-python's KafkaProducer accepts it"),
    "highwater": becomes("lag()[partition]", "how far the position is behind the high watermark"),
    "metrics": same("typed values instead of nested dicts: metrics().reading, for example"),
    "metrics(raw=)": gone("metrics() returns numbers: remove it"),
    "offsets_for_times": TIMES,
    "offsets_for_times(timeout_ms=)": becomes("offsets_for_times(timeout=)", _MS),
    "partitions_for_topic": becomes("partitions_for(topic)", "a tuple, not a set; empty if the topic does not exist"),
    "pause": becomes("pause([partition])", BY_PARTITION),
    "paused": same("a frozenset"),
    "poll": becomes(
        "poll(timeout)",
        "waits one second without an argument, not zero; returns Records instead of a dict: loop over them, or use "
        "records.partitions() and records.of(partition), which is not a list: convert it with list(), and "
        "records.next_offsets() has what to commit",
    ),
    "poll(timeout_ms=)": becomes("poll(timeout=)", _MS),
    "poll(max_records=)": same(),
    "poll(update_offsets=)": gone("the position always moves past what poll() returned; seek() moves it back"),
    "position": same("waits while it is looked up, and never returns None"),
    "position(timeout_ms=)": becomes("position(timeout=)", _MS),
    "resume": becomes("resume([partition])", BY_PARTITION),
    "seek": same(),
    "seek_to_beginning": becomes(
        "seek_to_beginning([partition])", f"{BY_PARTITION}; without it, all that are assigned"
    ),
    "seek_to_end": becomes("seek_to_end([partition])", f"{BY_PARTITION}; without it, all that are assigned"),
    "subscribe": same("an empty list raises ValueError: unsubscribe()"),
    "subscribe(pattern=)": PATTERN,
    "subscribe(listener=)": same("a RebalanceListener"),
    "subscription": same("a frozenset, empty without a subscription, not None"),
    "topics": same("a tuple, not a set"),
    "unsubscribe": same(),
}

_LISTENER: Final[Calls] = {
    "on_partitions_assigned": becomes("on_partitions_assigned(consumer, partitions)", _LISTENER_NOTE),
    "on_partitions_revoked": becomes("on_partitions_revoked(consumer, partitions)", _LISTENER_NOTE),
    "on_partitions_lost": becomes(
        "on_partitions_lost(consumer, partitions)", "has a first argument, as above, but it is too late to commit"
    ),
}

#: Rows by class. The class "" has the names that a program imports.
KAFKA_PYTHON: Final[Mapping[str, Calls]] = {
    "": _NAMES,
    "KafkaConsumer": _CONSUMER,
    "ConsumerRecord": RECORD,
    "ConsumerRebalanceListener": _LISTENER,
}
