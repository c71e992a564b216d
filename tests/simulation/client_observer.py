"""What is told of a client to those that look at it from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.offsets.effects import Failure
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from tests.simulation.clients import Client

__all__ = ["Callback", "ClientObserver", "Offsets"]

Callback = fx.CallOnAssigned | fx.CallOnRevoked | fx.CallOnLost
Offsets = Mapping[TopicPartition, OffsetAndMetadata]


class ClientObserver(Protocol):
    """Who looks at a client from outside."""

    def wanted(self, client: Client, effect: object) -> None:
        """A machine of the client wants something done."""

    def called_back(self, client: Client, callback: Callback, failed: bool) -> None:
        """A callback returned, or raised."""

    def looks_up(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        """The client asks for the committed offsets of these."""

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading of a partition begins, from a committed offset or the beginning."""

    def begins_anew(self, client: Client, partition: TopicPartition) -> None:
        """The topic of a partition took the place of another one: it is read from the first record on."""

    def sought(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """The application wants to read from there, and that is what may be committed from now on."""

    def handed_out(self, client: Client, partition: TopicPartition, first: int, end: int) -> None:
        """The application got records."""

    def told_committed(self, client: Client, offsets: Offsets) -> None:
        """The application was told that these offsets are committed."""

    def heard(self, client: Client, request: object, answer: object) -> None:
        """An answer arrived, whatever it says."""

    def asks(self, client: Client) -> None:
        """A request is made, of whatever kind."""

    def commits(self, client: Client, offsets: Offsets) -> None:
        """A commit is sent."""

    def commit_lost(self, client: Client, offsets: Offsets) -> None:
        """A commit has no answer."""

    def failed(self, client: Client, asked: Any, failure: Failure, after_s: float) -> None:
        """A commit or a lookup ended with a failure, so many seconds after it was asked for in the same membership."""
