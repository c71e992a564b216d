"""A transactional id: its producer and the state of its transaction (KIP-98, "Transaction Coordinator").

| state | meaning | may follow |
|---|---|---|
| Empty | a producer, and no transaction yet | nothing, Empty, CompleteCommit, CompleteAbort |
| Ongoing | partitions were added | Empty, Ongoing, CompleteCommit, CompleteAbort |
| PrepareCommit | will be committed, markers are being written | Ongoing |
| PrepareAbort | will be aborted, markers are being written | Ongoing; Empty and both Complete (KIP-890) |
| CompleteCommit | committed, all markers are written | PrepareCommit |
| CompleteAbort | aborted, all markers are written | PrepareAbort |
| Dead | forgotten, since it was unused for a long time | Empty, CompleteCommit, CompleteAbort |

A decision is final: a request for the opposite is refused. Kafka's PrepareEpochFence, which is never
stored, is not a state here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attrs import evolve, field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = ["LAST_EPOCH", "NO_PRODUCER", "Producer", "Status", "Transaction", "follow"]


class Status(Enum):
    """The states of a transaction, by Kafka's names."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"


_IDLE: Final = frozenset({Status.EMPTY, Status.COMPLETE_COMMIT, Status.COMPLETE_ABORT})

#: The states that each may follow.
_PREDECESSORS: Final[Mapping[Status, frozenset[Status]]] = {
    Status.EMPTY: _IDLE,
    Status.ONGOING: _IDLE | {Status.ONGOING},
    Status.PREPARE_COMMIT: frozenset({Status.ONGOING}),
    Status.PREPARE_ABORT: _IDLE | {Status.ONGOING},
    Status.COMPLETE_COMMIT: frozenset({Status.PREPARE_COMMIT}),
    Status.COMPLETE_ABORT: frozenset({Status.PREPARE_ABORT}),
    Status.DEAD: _IDLE,
}

#: The last epoch of a producer id for clients; the coordinator uses one more to fence them.
LAST_EPOCH: Final = 2**15 - 2


@frozen
class Producer:
    """A producer id and epoch; -1 means none."""

    producer_id: int = -1
    epoch: int = -1

    @property
    def is_exhausted(self) -> bool:
        """Whether there is no further epoch for clients, so that a new id is needed."""
        return self.epoch >= LAST_EPOCH

    def bumped(self) -> Producer:
        """The same id with its next epoch, which fences this one."""
        return evolve(self, epoch=self.epoch + 1)


NO_PRODUCER: Final = Producer()


@frozen
class Transaction:
    """The state of a transactional id; times are in milliseconds since the epoch.

    ``previous`` is the id and epoch that ``producer`` replaced at the client's own request, so that it can repeat the
    request; ``successor`` replaces ``producer`` when the transaction is complete.
    """

    transactional_id: str
    producer: Producer
    timeout_ms: int
    status: Status = Status.EMPTY
    partitions: frozenset[TopicPartition] = field(factory=frozenset)
    started_ms: int = -1
    updated_ms: int = -1
    previous: Producer = NO_PRODUCER
    successor: Producer | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no transaction is open or being ended."""
        return self.status in _IDLE

    @property
    def is_decided(self) -> bool:
        """Whether markers are being written."""
        return self.status in (Status.PREPARE_COMMIT, Status.PREPARE_ABORT)

    def was_or_is(self, producer_id: int) -> bool:
        """Whether the id belongs to the producer or to the producer that it replaced."""
        return producer_id >= 0 and producer_id in (self.producer.producer_id, self.previous.producer_id)


def follow(before: Transaction, after: Transaction) -> Transaction:
    """Assert that ``after`` may follow ``before``, and return it."""
    assert before.transactional_id == after.transactional_id
    assert before.status in _PREDECESSORS[after.status], f"{after.status} after {before.status}"
    return after
