"""A transactional id: who produces under it, and how far its transaction is (KIP-98, "Transaction Coordinator").

| state | what it means | may follow on |
|---|---|---|
| Empty | a producer, and no transaction yet | nothing, Empty, CompleteCommit, CompleteAbort |
| Ongoing | partitions were added | Empty, Ongoing, CompleteCommit, CompleteAbort |
| PrepareCommit | decided: to be committed, markers are being written | Ongoing |
| PrepareAbort | decided: to be aborted, markers are being written | Ongoing; Empty and both Complete (KIP-890) |
| CompleteCommit | committed, all markers are there | PrepareCommit |
| CompleteAbort | aborted, all markers are there | PrepareAbort |
| Dead | forgotten, since it was not used for a long time | Empty, CompleteCommit, CompleteAbort |

Once a decision is taken, nothing can change it: a request for the other one is refused. Kafka's PrepareEpochFence,
which is never stored, is here a step within one decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attrs import evolve, field, frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["LAST_EPOCH", "NO_PRODUCER", "Producer", "Status", "Transaction", "follow"]


class Status(Enum):
    """Where a transaction stands, by Kafka's names."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"


_IDLE: Final = frozenset({Status.EMPTY, Status.COMPLETE_COMMIT, Status.COMPLETE_ABORT})

#: The states that each may follow on.
_PREDECESSORS: Final[Mapping[Status, frozenset[Status]]] = {
    Status.EMPTY: _IDLE,
    Status.ONGOING: _IDLE | {Status.ONGOING},
    Status.PREPARE_COMMIT: frozenset({Status.ONGOING}),
    Status.PREPARE_ABORT: _IDLE | {Status.ONGOING},
    Status.COMPLETE_COMMIT: frozenset({Status.PREPARE_COMMIT}),
    Status.COMPLETE_ABORT: frozenset({Status.PREPARE_ABORT}),
    Status.DEAD: _IDLE,
}

#: The last epoch a producer id is given out with: one more is kept for the coordinator to fence with.
LAST_EPOCH: Final = 2**15 - 2


@frozen
class Producer:
    """A producer id at one of its epochs; -1 is none."""

    producer_id: int = -1
    epoch: int = -1

    @property
    def is_exhausted(self) -> bool:
        """Whether there is no further epoch to give to a client, so that a new id has to be taken."""
        return self.epoch >= LAST_EPOCH

    def bumped(self) -> Producer:
        """The same id at its next epoch, which fences this one."""
        return evolve(self, epoch=self.epoch + 1)


NO_PRODUCER: Final = Producer()


@frozen
class Transaction:
    """All there is to know of a transactional id; times are in milliseconds since the epoch.

    ``previous`` is who was replaced by ``producer`` on its own request, so that the request can be repeated;
    ``successor`` is who takes over when the transaction is complete.
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
        """Whether nothing is under way."""
        return self.status in _IDLE

    @property
    def is_decided(self) -> bool:
        """Whether markers are being written."""
        return self.status in (Status.PREPARE_COMMIT, Status.PREPARE_ABORT)

    def was_or_is(self, producer_id: int) -> bool:
        """Whether the id is the producer's, or that of the one it replaced."""
        return producer_id >= 0 and producer_id in (self.producer.producer_id, self.previous.producer_id)


def follow(before: Transaction, after: Transaction) -> Transaction:
    """Assert that ``after`` may follow on ``before``, and return it."""
    assert before.transactional_id == after.transactional_id
    assert before.status in _PREDECESSORS[after.status], f"{after.status} after {before.status}"
    return after
