"""What a request names before any broker is asked.

Brokers choose member ids, epochs and topic ids themselves. A request holds symbols in their place, and each broker is
sent what it told itself. So the requests of a seed are the same whatever is answered, and any of them can be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.support.odd_batches import NOW_MS, ODD_BATCHES, batch, record
from tests.verification.differential.told import Told


class Symbol:
    """A part of a request that depends on the broker."""

    def value(self, told: Told) -> Any:
        """What the broker that told this is sent."""
        raise NotImplementedError

    def concerns(self) -> frozenset[str]:
        """The topics and groups that the request is about for naming this."""
        return frozenset()


@frozen
class Topic(Symbol):
    """A topic's name."""

    name: str

    def value(self, told: Told) -> str:
        return told.real(self.name)

    def concerns(self) -> frozenset[str]:
        return frozenset({self.name})


@frozen
class Group(Topic):
    """A group's name."""


@frozen
class TopicIdOf(Topic):
    """A topic's id, the last one it had if it is gone."""

    def value(self, told: Told) -> Any:
        return told.topic_id(self.name)


@frozen
class MemberIdOf(Symbol):
    """A member's id: what the broker gave it, or else its name."""

    group: str
    who: str

    def value(self, told: Told) -> str:
        return told.member_ids.get((self.group, self.who), self.who)

    def concerns(self) -> frozenset[str]:
        return frozenset({self.group})


@frozen
class EpochOf(Symbol):
    """The epoch or generation that a member was told last, and some more."""

    group: str
    who: str
    more: int = 0

    def value(self, told: Told) -> int:
        return told.epochs.get((self.group, self.who), 0) + self.more


@frozen
class Owned(Symbol):
    """What a member was assigned last, as its heartbeat says it."""

    group: str
    who: str

    def value(self, told: Told) -> list[dict[str, Any]]:
        return told.owned.get((self.group, self.who), [])


@frozen
class Subscription(Symbol):
    """A member's subscription, as JoinGroup has it."""

    topics: tuple[str, ...]
    version: int = 3

    def value(self, told: Told) -> bytes:
        topics = frozenset(map(told.real, self.topics))
        return encode_subscription(MemberSubscription(topics), self.version)

    def concerns(self) -> frozenset[str]:
        return frozenset(self.topics)


@frozen
class Parts(Symbol):
    """What a leader gives to the members that it was told of: a partition of ``topic`` to each."""

    group: str
    who: str
    topic: str

    def value(self, told: Told) -> list[dict[str, Any]]:
        members = sorted(told.led.get((self.group, self.who), []), key=told.alias)
        return [
            {"member_id": member_id, "assignment": self._part(told, number)} for number, member_id in enumerate(members)
        ]

    def _part(self, told: Told, number: int) -> bytes:
        return encode_assignment(frozenset({TopicPartition(told.real(self.topic), number)}))


@frozen
class OddBatch(Symbol):
    """One of ``tests.support.odd_batches``."""

    name: str

    def value(self, told: Told) -> bytes:
        return ODD_BATCHES[self.name]


@frozen
class PlainBatch(Symbol):
    """So many records, each a second younger than the one before."""

    count: int
    key: bytes | None = None
    age_ms: int = 0

    def value(self, told: Told) -> bytes:
        at = NOW_MS - self.age_ms
        return encode_batch([NewRecord(b"%d" % n, self.key, at + 1_000 * n) for n in range(self.count)])


@frozen
class ProducerBatch(Symbol):
    """A record of an idempotent producer, whose id need not be one that the broker gave."""

    producer_id: int
    epoch: int
    sequence: int

    def value(self, told: Told) -> bytes:
        return batch(record(), producer=(self.producer_id, self.epoch, self.sequence))


def resolved(part: Any, told: Told) -> Any:
    """A part of a request with the values that this broker is sent."""
    if isinstance(part, Symbol):
        return part.value(told)
    if isinstance(part, Mapping):
        return {name: resolved(each, told) for name, each in part.items()}
    return [resolved(each, told) for each in part] if isinstance(part, list) else part


def symbols_in(part: Any) -> list[Symbol]:
    """Every symbol in a part of a request."""
    if isinstance(part, Symbol):
        return [part]
    inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
    return [symbol for each in inner for symbol in symbols_in(each)]
