"""Where transactions lie in a partition (KIP-98, "Data Log"): which are open, and which were aborted.

The last stable offset is where the first open transaction begins: a client that reads only committed records reads up
to there. A transaction that ended by an abort is remembered from its first record to its marker, for readers to drop
what it wrote (``FetchResponse.AbortedTransactions``).
"""

from __future__ import annotations

from attrs import define, field, frozen

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
    """The transactions of one partition, by what was appended to it in order."""

    _open: dict[int, int] = field(factory=dict)  # first offset by producer id
    _aborted: list[AbortedTransaction] = field(factory=list)  # by last offset

    def is_open(self, producer_id: int) -> bool:
        """Whether the producer has a transaction open here."""
        return producer_id in self._open

    def begin_of(self, producer_id: int) -> int | None:
        """Where the producer's open transaction begins; None if it has none here."""
        return self._open.get(producer_id)

    def first_open_offset(self) -> int | None:
        """Where the first open transaction begins; None if none is open."""
        return min(self._open.values(), default=None)

    def began(self, header: BatchHeader, base_offset: int) -> None:
        """Note a batch of records that was appended at ``base_offset``."""
        if header.is_transactional:
            self._open.setdefault(header.producer_id, base_offset)

    def ended(self, producer_id: int, marker_offset: int, *, is_commit: bool) -> None:
        """Note a marker. Where its producer has nothing open there is nothing to drop."""
        first_offset = self._open.pop(producer_id, None)
        if first_offset is not None and not is_commit:
            self._aborted.append(AbortedTransaction(producer_id, first_offset, marker_offset))

    def aborted_within(self, start_offset: int, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """What of the offsets from ``start_offset`` to before ``end_offset`` was aborted, by first offset."""
        found = [one for one in self._aborted if one.last_offset >= start_offset and one.first_offset < end_offset]
        return tuple(sorted(found, key=lambda one: one.first_offset))

    def was_aborted(self, producer_id: int, offset: int) -> bool:
        """Whether what the producer wrote at this offset belongs to a transaction that was aborted."""
        return any(
            one.producer_id == producer_id and one.first_offset <= offset < one.last_offset for one in self._aborted
        )

    def forget_before(self, start_offset: int) -> None:
        """The log begins at ``start_offset`` now."""
        self._aborted = [one for one in self._aborted if one.last_offset >= start_offset]
