"""What fields of requests are drawn from: what there is in the cluster, what is not there, and what fits badly."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any
from uuid import UUID

from attrs import define, field

from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Compression, NewRecord, encode_batch
from kafka_nextgen.wire.schema import Structure
from tests.support.odd_batches import ODD_BATCHES

#: The topics that a cluster has at first, with their partitions.
TOPICS: Mapping[str, int] = {"orders": 3, "audit": 1}

_NOWHERE = "nowhere"
_NOWHERE_ID = UUID("6e6f7768-6572-4e77-8865-726577686572")
_GROUPS = ("billing", "shipping", "simple", "")
_MEMBERS = ("", "A", "B", "9d0e2d4c-0000-4000-8000-000000000001", "9d0e2d4c-0000-4000-8000-000000000002")
_INSTANCES = ("i1", "i2", "")
_TRANSACTIONS = ("t1", "t2", "")
_PRINCIPALS = ("User:alice", "User:*", "alice", "", ":", "Group:x")
_PATTERNS = ("t.*", "orders|audit", "(", "[", r"\C", "(?<a>x)(?<a>y)", ".*")
_ODD_TEXT = ("", "a" * 300, "größe", "a\0b", "*", ".", "(", "-1")
_KEYS = ("cleanup.policy", "retention.ms", "segment.bytes", "min.insync.replicas", "consumer.session.timeout.ms")

#: Texts by the name of the field; a name that is missing has odd texts only.
_TEXTS: Mapping[tuple[str, ...], Sequence[str]] = {
    ("topic", "topic_name", "topic_names", "subscribed_topic_names"): (*TOPICS, _NOWHERE, "__consumer_offsets"),
    ("group_id", "group_ids", "groups", "groups_names", "coordinator_keys", "key"): _GROUPS,
    ("name",): (*TOPICS, _NOWHERE, *_KEYS, "range", "uniform", "alice", "consumer_byte_rate"),
    ("member_id",): _MEMBERS,
    ("group_instance_id", "instance_id"): _INSTANCES,
    ("transactional_id", "transactional_ids", "v3_and_below_transactional_id"): _TRANSACTIONS,
    ("transactional_id_pattern", "subscribed_topic_regex"): _PATTERNS,
    ("protocol_type",): ("consumer", "connect", ""),
    ("protocol_name", "assignor", "server_assignor"): ("range", "uniform", "roundrobin", "nonsense", ""),
    ("resource_name", "resource_name_filter"): (*TOPICS, _NOWHERE, "1", "7", "", "billing", "kafka-cluster"),
    ("entity_type",): ("user", "client-id", "ip", "nonsense"),
    ("entity_name", "match"): ("alice", "", "somebody"),
    ("principal", "principal_filter"): _PRINCIPALS,
    ("host", "host_filter"): ("*", "127.0.0.1", ""),
    ("mechanism",): ("PLAIN", "SCRAM-SHA-256", "nonsense", ""),
    ("states_filter", "state_filters"): ("Stable", "empty", "Ongoing", "nonsense"),
    ("types_filter",): ("classic", "Consumer", "share", "nonsense"),
    ("configuration_keys",): (*_KEYS, "nonsense"),
    ("value",): ("compact", "delete", "1", "0", "-1", "60000", "nonsense", ""),
    ("rack_id",): ("r1", ""),
    ("feature",): ("metadata.version", "transaction.version", "nonsense"),  # group.version 0 would stop heartbeats
}
_TEXTS_BY_FIELD = {name: texts for names, texts in _TEXTS.items() for name in names}

#: Numbers by the name of the field; others are drawn from ``_NUMBERS`` that fit.
_NUMBERS: Sequence[int] = (0, 0, 1, 1, 2, 3, 7, -1, -1, -2, 100, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_INTEGERS: Mapping[str, Sequence[int]] = {
    "max_wait_ms": (0, 0, -1, 1),  # nothing here is waited for
    "timeout_ms": (0, -1, 1, 5_000),
    "rebalance_timeout_ms": (1, 1, 0, -1, 60_000),
    "session_timeout_ms": (6_000, 6_000, 45_000, 0, -1, 2**31 - 1),
    "iterations": (4_096, 4_096, 0, -1, 16_384, 16_385, 2**31 - 1),
    "acks": (-1, 1, 1, 5, -2),  # with 0 there is no answer
    "resource_type": range(-1, 34),
    "resource_types": range(-1, 34),
    "operation": range(-1, 17),
    "replication_factor": (-1, -1, 1, 1, 0, 2, 32_767),
    "num_partitions": (-1, 1, 2, 0, 5, 10_001, 2**31 - 1),
    "count": (4, 5, 0, -1, 3, 20_000, 2**31 - 1),
}
_SMALL_NUMBERS: Sequence[int] = (0, 0, 1, 1, 2, -1)
_BITS = {"int8": 8, "int16": 16, "uint16": 16, "int32": 32, "int64": 64}
_FLOATS = (1e9, 1e12, -1.0, 0.0, math.inf, -math.inf, math.nan, 2.5e9)  # no quota that would hold the fuzzer up

_ORDERS = [TopicPartition("orders", 0), TopicPartition("orders", 1)]
_BYTES = (
    b"",
    b"\0",
    b"\0\0",
    b"garbage",
    b"\0alice\0secret",
    b"n,,n=alice,r=abc",
    encode_subscription(MemberSubscription(frozenset(TOPICS), frozenset(_ORDERS), 1, "r1", b"")),
    encode_assignment(_ORDERS),
)


def _records() -> Sequence[bytes]:
    plain = [encode_batch([NewRecord(b"value", b"key")] * 2, codec) for codec in Compression]
    producing = [
        encode_batch([NewRecord(b"x")], producer_id=of, producer_epoch=0, base_sequence=number)
        for of in (0, 1, 7)
        for number in (0, 1, 5)
    ]
    return [*plain, *producing, *ODD_BATCHES.values(), b"", b"garbage", b"\0" * 70, plain[0] * 2, plain[0][:-1]]


_RECORDS = _records()


#: What an answer tells and later requests may say, by the names of the fields.
_TOLD: Mapping[str, Sequence[str]] = {
    "member_id": ("member_id",),
    "generation_id": ("generation_id", "generation_id_or_member_epoch"),
    "member_epoch": ("member_epoch", "generation_id_or_member_epoch"),
    "session_id": ("session_id",),
    "producer_id": ("producer_id", "v3_and_below_producer_id"),
    "producer_epoch": ("producer_epoch", "v3_and_below_producer_epoch"),
    "leader_epoch": ("current_leader_epoch", "leader_epoch"),
}
_KEPT = 4


@define
class Words:
    """Draws the values of fields; ``ids`` are those of the topics that there are.

    A request is ``calm`` if little in it is odd, so that some get as far as the state behind the checks.
    """

    random: Random
    ids: Sequence[UUID]
    is_calm: bool = False
    _told: defaultdict[str, deque[Any]] = field(factory=lambda: defaultdict(lambda: deque(maxlen=_KEPT)))

    def draw(self, kind: str, name: str) -> Any:
        """A value of a simple type for the field of this name."""
        if self._told.get(name) and self.chance(0.5):
            return self.random.choice(self._told[name])
        if kind in _BITS:
            return self._number(kind, name)
        if kind == "string":
            return self._text(name)
        return self.random.choice(self._others(kind))

    def chance(self, of: float) -> bool:
        """Whether something happens that does so with this probability."""
        return self.random.random() < of

    def learn(self, answer: Structure) -> None:
        """Keep the ids and epochs of an answer for later requests."""
        for described in answer.FIELDS:
            value = getattr(answer, described.name)
            for name in _TOLD.get(described.name, ()) if value is not None else ():
                self._told[name].append(value)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Structure):
                    self.learn(part)

    def _number(self, kind: str, name: str) -> int:
        bits = _BITS[kind]
        numbers = _INTEGERS.get(name, _SMALL_NUMBERS if self.is_calm else _NUMBERS)
        lowest = 0 if kind.startswith("u") else -(1 << (bits - 1))
        return self.random.choice([number for number in numbers if lowest <= number < lowest + (1 << bits)])

    def _text(self, name: str) -> str:
        usual = _TEXTS_BY_FIELD.get(name, ())
        return self.random.choice(usual if usual and (self.is_calm or self.chance(0.9)) else _ODD_TEXT)

    def _others(self, kind: str) -> Sequence[Any]:
        known: Mapping[str, Sequence[Any]] = {
            "bool": (False, True),
            "float64": _FLOATS,
            "uuid": (*self.ids, *self.ids, _NOWHERE_ID, None),
            "bytes": _BYTES,
            "records": _RECORDS,
            "bitfield": (None, frozenset({0, 3})),
        }
        return known[kind]
