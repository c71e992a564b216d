"""The open and the aborted transactions of a partition (KIP-98, "Data Log").

The last stable offset is where the first open transaction begins; a client that reads only committed records reads up
to there. The offset range of each aborted transaction is remembered, so that readers can drop its records
(``FetchResponse.AbortedTransactions``).
"""

from __future__ import annotations

from attrs import field

from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.wire.records import BatchHeader

__all__ = ["AbortedTransaction", "OpenTransactions"]


@frozen
class AbortedTransaction:
    """A producer's records from ``first_offset`` up to its marker at ``last_offset`` were aborted."""

    producer_id: int
    first_offset: int
    last_offset: int


@define
class OpenTransactions:
    """The transactions of one partition."""

    _open: dict[int, int] = field(factory=dict)  # first offset by producer id
    _aborted: list[AbortedTransaction] = field(factory=list)  # by last offset

    def is_open(self, producer_id: int) -> bool:
        """Whether the producer has an open transaction here."""
        return producer_id in self._open

    def begin_of(self, producer_id: int) -> int | None:
        """The first offset of the producer's open transaction; None if it has none here."""
        return self._open.get(producer_id)

    def first_open_offset(self) -> int | None:
        """The first offset of all open transactions; None if none is open."""
        return min(self._open.values(), default=None)

    def began(self, header: BatchHeader, base_offset: int) -> None:
        """Record that a batch of records was appended at ``base_offset``."""
        if header.is_transactional:
            self._open.setdefault(header.producer_id, base_offset)

    def ended(self, producer_id: int, marker_offset: int, *, is_commit: bool) -> None:
        """Record that a marker was appended, even if its producer has no open transaction."""
        first_offset = self._open.pop(producer_id, None)
        if first_offset is not None and not is_commit:
            self._aborted.append(AbortedTransaction(producer_id, first_offset, marker_offset))

    def aborted_within(self, start_offset: int, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions between ``start_offset`` and ``end_offset`` (exclusive), by first offset."""
        found = [one for one in self._aborted if one.last_offset >= start_offset and one.first_offset < end_offset]
        return tuple(sorted(found, key=lambda one: one.first_offset))

    def was_aborted(self, producer_id: int, offset: int) -> bool:
        """Whether the producer's record at this offset belongs to an aborted transaction."""
        return any(
            one.producer_id == producer_id and one.first_offset <= offset < one.last_offset for one in self._aborted
        )

    def forget_before(self, start_offset: int) -> None:
        """Forget the aborted transactions that ended before ``start_offset``."""
        self._aborted = [one for one in self._aborted if one.last_offset >= start_offset]
