"""What moves an application to do something odd asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from kafka_nextgen.membership import events as ev
from kafka_nextgen.types import TopicPartition
from tests.simulation.clients import Client

__all__ = ["Acting", "Habits"]


@frozen
class Habits:
    """How an application behaves when nothing goes wrong."""

    processing_s: float
    records: int
    is_static: bool
    commits_waiting: float  # how often it commits by itself after a poll, and waits
    commits_beside: float  # and does not wait
    commit_timeout_s: float
    max_poll_interval_s: float


class Acting(Protocol):
    """The application that acts."""

    client: Client
    habits: Habits
    wishes: Sequence[ev.Subscribed]
    wanted: ev.Subscribed | None
    is_closing: bool
    is_over: bool
    is_stuck: bool

    def close(self) -> None:
        """Close the consumer."""

    def unsubscribe(self) -> None:
        """Give the subscription up."""

    def subscribe(self, wanted: ev.Subscribed) -> None:
        """Subscribe to something."""

    def subscribe_to_any(self) -> None:
        """Subscribe to something else."""

    def poll_early(self) -> None:
        """Poll now, if nothing else is done."""

    def commit(self) -> None:
        """Commit what is read, and do not wait."""

    def commit_beside(self, flowing: Sequence[TopicPartition]) -> None:
        """The same of these partitions."""
