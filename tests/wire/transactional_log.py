"""A log that producers write to in transactions, each of which remembers what it wrote and how that ended."""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.wire.records import EndMarker, NewRecord, encode_batch, encode_end_marker, rebase

__all__ = ["TransactionalLog"]


@define
class _Transaction:
    producer: int
    offsets: list[int]
    end: int | None = None
    is_committed: bool = False


@define
class TransactionalLog:
    """What was written, in order; and, apart from it, who wrote what and which of it counts."""

    STEPS = ("write", "plain", "commit", "abort")

    batches: list[tuple[int, bytes]] = field(factory=list)  # by base offset
    end_offset: int = 0
    plain: list[int] = field(factory=list)
    transactions: list[_Transaction] = field(factory=list)

    def do(self, step: str, producer: int, count: int) -> None:
        """Let a producer do one thing; to end a transaction that was not begun leaves a marker all the same."""
        if step in ("commit", "abort"):
            self._end(producer, is_commit=step == "commit")
        else:
            self._write(producer, count, transactional=step == "write")

    def _write(self, producer: int, count: int, *, transactional: bool) -> None:
        offsets = list(range(self.end_offset, self.end_offset + count))
        records = [NewRecord(b"%d" % offset) for offset in offsets]
        self._append(encode_batch(records, producer_id=producer, producer_epoch=0, transactional=transactional), count)
        if not transactional:
            self.plain += offsets
        elif (running := self._running(producer)) is not None:
            running.offsets += offsets
        else:
            self.transactions.append(_Transaction(producer, offsets))

    def _end(self, producer: int, *, is_commit: bool) -> None:
        running = self._running(producer)
        if running is not None:
            running.end, running.is_committed = self.end_offset, is_commit
        self._append(encode_end_marker(EndMarker(is_commit, 0), producer, 0, timestamp=1), 1)

    def _append(self, batch: bytes, count: int) -> None:
        self.batches.append((self.end_offset, rebase(batch, self.end_offset, 0)))
        self.end_offset += count

    def _running(self, producer: int) -> _Transaction | None:
        return next((one for one in self.transactions if one.producer == producer and one.end is None), None)

    # ---- what a broker tells

    @property
    def last_stable_offset(self) -> int:
        return min((one.offsets[0] for one in self.transactions if one.end is None), default=self.end_offset)

    def read(self, start: int) -> tuple[bytes, list[tuple[int, int]]]:
        """Answer a fetch of committed records: from the batch of ``start`` on, and what was aborted from there."""
        stable = self.last_stable_offset
        ends = [offset for offset, _ in self.batches[1:]] + [self.end_offset]
        data = b"".join(
            batch for (offset, batch), end in zip(self.batches, ends, strict=True) if end > start and offset < stable
        )
        aborted = [
            (one.producer, one.offsets[0])
            for one in self.transactions
            if one.end is not None and not one.is_committed and one.end >= start and one.offsets[0] < stable
        ]
        return data, aborted

    # ---- what is true

    def committed(self) -> list[int]:
        """The offsets that a reader of committed records gets, in order."""
        counted = [offset for one in self.transactions if one.is_committed for offset in one.offsets]
        return sorted(offset for offset in self.plain + counted if offset < self.last_stable_offset)
