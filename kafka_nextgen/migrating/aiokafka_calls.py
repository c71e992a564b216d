"""The calls of aiokafka's consumer (0.14.0), and their replacements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.migrating.calls import Calls, becomes, gone, kept, same
from kafka_nextgen.migrating.kafka_python_calls import (
    ASSIGNOR,
    BY_PARTITION,
    ERRORS,
    PATTERN,
    RECORD,
    STRUCTS,
    TIMES,
)

__all__ = ["AIOKAFKA"]

_AWAIT: Final = "await it"

_NAMES: Final[Calls] = {
    "AIOKafkaConsumer": becomes("AsyncConsumer", "takes no topics: subscribe() to them. Nothing has to be started"),
    "ConsumerRebalanceListener": becomes("AsyncRebalanceListener", "or RebalanceListener, whose methods are not async"),
    **STRUCTS,
    "AIOKafkaProducer": kept("keep aiokafka for producing"),
    "AIOKafkaClient": kept("keep it for everything except groups, which GroupAdmin manages"),
    "AIOKafkaAdminClient": kept("keep it for topics; for groups, AsyncGroupAdmin can do more"),
    "AbstractTokenProvider": becomes("oauth_cb=function", "it returns a token, or (token, time of expiry)"),
    "AbstractPartitionAssignor": becomes("PartitionAssignor", "passed as group_local_assignors"),
    "RangePartitionAssignor": ASSIGNOR,
    "RoundRobinPartitionAssignor": ASSIGNOR,
    "StickyPartitionAssignor": ASSIGNOR,
    "create_ssl_context": becomes("ssl_ca_location=...", "keys of the configuration; or keep it: ssl_context takes it"),
    **ERRORS,
    "ConsumerStoppedError": becomes("MisuseError", "every call after close() raises it"),
    "IllegalOperation": becomes("MisuseError"),
    "RecordTooLargeError": gone("a record that is larger than a fetch is returned, on its own: remove it"),
}

_CONSUMER: Final[Calls] = {
    "assign": becomes("await consumer.assign(partitions)", _AWAIT),
    "assignment": same("a frozenset, which does not change"),
    "beginning_offsets": same(),
    "commit": same("values can be ints, too; raises CommitFailedError"),
    "committed": becomes(
        "(await consumer.committed([partition]))[partition]",
        "one request for many; an OffsetAndMetadata, not an int, or None without an offset",
    ),
    "end_offsets": same(),
    "getmany": becomes(
        "poll(timeout)",
        "waits one second without an argument, not zero; returns at most 500 Records (max_poll_records), not a dict: "
        "loop over them, or use records.partitions() and records.of(partition), which is not a list: convert it with "
        "list(), and records.next_offsets() has what to commit. To read only some partitions, pause() the others",
    ),
    "getmany(timeout_ms=)": becomes("poll(timeout=)", "seconds, not milliseconds"),
    "getmany(max_records=)": becomes("poll(max_records=)"),
    "getone": same("raises MisuseError for a partition that is not assigned; aiokafka waits"),
    "highwater": becomes("lag()[partition]", "how far the position is behind the high watermark"),
    "last_poll_timestamp": becomes("health().silence_s[partition]", "seconds since the last response for it"),
    "last_stable_offset": becomes(
        "end_offsets([partition])", "the last stable offset with isolation_level=read_committed"
    ),
    "offsets_for_times": TIMES,
    "partitions_for_topic": becomes(
        "await consumer.partitions_for(topic)",
        "queries the cluster; a tuple, not a set; empty if the topic does not exist, not None",
    ),
    "pause": becomes("await consumer.pause([partition])", BY_PARTITION),
    "paused": same("a frozenset"),
    "position": same(),
    "resume": becomes("await consumer.resume([partition])", BY_PARTITION),
    "seek": becomes("await consumer.seek(partition, offset)", _AWAIT),
    "seek_to_beginning": becomes(
        "seek_to_beginning([partition])", f"{BY_PARTITION}; without it, all that are assigned"
    ),
    "seek_to_committed": becomes("seek(partition, (await consumer.committed([partition]))[partition])"),
    "seek_to_end": becomes("seek_to_end([partition])", f"{BY_PARTITION}; without it, all that are assigned"),
    "start": gone("remove it, or use async with: the constructor starts the consumer, and subscribe() joins the group"),
    "stop": becomes("await consumer.close()", "or use async with"),
    "subscribe": becomes("await consumer.subscribe(topics)", _AWAIT),
    "subscribe(pattern=)": PATTERN,
    "subscription": same("a frozenset, empty without a subscription, not None"),
    "topics": same("a tuple, not a set"),
    "unsubscribe": becomes("await consumer.unsubscribe()", "waits until the group has been left"),
}

_LISTENER_NOTE: Final = (
    "has a first argument with what the method may call while it runs, such as await consumer.commit()"
)
_LISTENER: Final[Calls] = {
    "on_partitions_assigned": becomes("on_partitions_assigned(consumer, partitions)", _LISTENER_NOTE),
    "on_partitions_revoked": becomes(
        "on_partitions_revoked(consumer, partitions)",
        f"{_LISTENER_NOTE}; lost partitions are passed to on_partitions_lost, which can't commit",
    ),
}

#: Rows by class. The class "" has the names that a program imports.
AIOKAFKA: Final[Mapping[str, Calls]] = {
    "": _NAMES,
    "AIOKafkaConsumer": _CONSUMER,
    "ConsumerRecord": {
        name: call for name, call in RECORD.items() if name not in ("leader_epoch", "serialized_header_size")
    },
    "ConsumerRebalanceListener": _LISTENER,
}
