"""Which batches are left out for whoever reads committed records only (KIP-98)."""

from __future__ import annotations

import struct

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import (
    EndMarker,
    NewRecord,
    RecordLimits,
    decode_partition,
    encode_batch,
    encode_end_marker,
    leave_out_aborted,
    rebase,
)
from tests.support.examples import examples

ORDERS = TopicPartition("orders", 3)
P, Q = 7, 8


def log_of(*steps: tuple[int, str]) -> bytes:
    """A log in which each step takes one offset: a producer wrote, in a transaction or plainly, or ended one."""
    return b"".join(rebase(_batch(*step), offset, 0) for offset, step in enumerate(steps))


def _batch(producer: int, what: str) -> bytes:
    if what in ("commit", "abort"):
        return encode_end_marker(EndMarker(what == "commit", 0), producer, 0, timestamp=1)
    return encode_batch([NewRecord(b"v")], producer_id=producer, producer_epoch=0, transactional=what == "write")


def kept(data: bytes, aborted: list[tuple[int, int]], fetch_offset: int = 0) -> list[int]:
    committed = leave_out_aborted(data, aborted, ORDERS, fetch_offset)
    columns = decode_partition(committed.data, ORDERS, fetch_offset, RecordLimits(), skipped=committed.skipped)
    return list(columns.offsets)


@pytest.mark.parametrize(
    ("steps", "aborted", "offsets"),
    [
        pytest.param([(P, "write"), (P, "write"), (P, "abort")], [(P, 0)], [], id="all of it"),
        pytest.param([(P, "write"), (P, "commit"), (P, "write"), (P, "abort")], [(P, 2)], [0], id="the second one"),
        pytest.param([(P, "write"), (P, "abort"), (P, "write"), (P, "commit")], [(P, 0)], [2], id="the first one"),
        pytest.param([(P, "write"), (P, "abort"), (P, "write"), (P, "abort")], [(P, 0), (P, 2)], [], id="both"),
        pytest.param([(P, "write"), (Q, "write"), (P, "abort"), (Q, "commit")], [(P, 0)], [1], id="not the other's"),
        pytest.param([(P, "write"), (Q, "plain"), (P, "plain"), (P, "abort")], [(P, 0)], [1, 2], id="nothing plain"),
        pytest.param([(-1, "plain"), (P, "write"), (P, "write"), (P, "abort")], [(P, 1)], [0], id="nothing before it"),
        pytest.param([(P, "write"), (P, "write")], [(P, 0)], [], id="the marker is still to come"),
        pytest.param([(P, "write"), (P, "commit")], [(P, 9)], [0], id="one that begins behind it all"),
        pytest.param([(P, "write"), (Q, "abort"), (P, "abort")], [(P, 0)], [], id="the other's marker ends nothing"),
    ],
)
def test_what_is_left_out(steps: list[tuple[int, str]], aborted: list[tuple[int, int]], offsets: list[int]) -> None:
    assert kept(log_of(*steps), aborted) == offsets


def test_what_is_left_out_is_read_past_and_not_decompressed_but_its_checksum_is_checked() -> None:
    columns = decode_partition(log_of((P, "write"), (P, "abort")), ORDERS, 0, RecordLimits(), skipped=(0,))
    assert (len(columns), columns.next_offset, columns.truncated) == (0, 2, False)
    sound = encode_batch([NewRecord(b"v")], producer_id=P, transactional=True)
    broken = sound[:-1] + b"\1"
    with pytest.raises(CorruptRecordError, match="CRC-32C"):
        decode_partition(broken, ORDERS, 0, RecordLimits(), skipped=(0,))
    assert decode_partition(broken, ORDERS, 0, RecordLimits(), check_crc=False, skipped=(0,)).next_offset == 1


def test_a_transaction_whose_first_records_were_compacted_begins_with_what_is_left() -> None:
    first, whole = log_of((P, "write")), log_of((P, "write"), (P, "write"), (P, "abort"))
    assert kept(whole[len(first) :], [(P, 0)]) == []


# A batch that begins before the first offset of a transaction and reaches it is that transaction's: its producer's own.


def test_a_batch_that_reaches_the_first_offset_is_of_the_transaction() -> None:
    data = encode_batch([NewRecord(b"v")] * 3, producer_id=P, transactional=True, base_offset=4)
    assert kept(data, [(P, 6)], fetch_offset=4) == []
    assert kept(data, [(P, 7)], fetch_offset=4) == [4, 5, 6]


# Markers that say nothing, or can't be read.


def control(key: bytes | None, offset: int) -> bytes:
    record = NewRecord(struct.pack(">hi", 0, 0), key, timestamp=1)
    return encode_batch([record], producer_id=P, transactional=True, control=True, base_offset=offset)


def test_control_records_of_other_types_end_no_transaction() -> None:
    data = log_of((P, "write")) + control(struct.pack(">hh", 0, 2), 1) + rebase(_batch(P, "write"), 2, 0)
    assert kept(data, [(P, 0)]) == []


def test_a_marker_that_cannot_be_read_ends_the_data_in_front_of_it() -> None:
    data = log_of((Q, "write"), (P, "write")) + control(None, 2) + rebase(_batch(P, "write"), 3, 0)
    assert kept(data, [(P, 1)]) == [0]


@pytest.mark.parametrize("fetch_offset", [2, 1], ids=["asked for", "what lies before it was read"])
def test_a_marker_that_cannot_be_read_is_raised_if_it_comes_first(fetch_offset: int) -> None:
    before = log_of((P, "write")) if fetch_offset == 1 else b""
    with pytest.raises(CorruptRecordError, match=r"orders\[3\] can't be read at offset 2: the marker there") as caught:
        leave_out_aborted(before + control(None, 2), [(P, 0)], ORDERS, fetch_offset)
    assert (caught.value.partition, caught.value.offset) == (ORDERS, 2)


def test_a_header_that_cannot_be_read_is_left_to_whoever_decodes() -> None:
    data = log_of((P, "write"), (P, "write"))
    half = len(data) // 2
    other_format = data[:half] + data[half : half + 16] + b"\1" + data[half + 17 :]
    assert leave_out_aborted(other_format, [(P, 0)], ORDERS, 0).skipped == (0,)


# Any number of producers at once, beside what they remember of their own transactions.


@define
class _Transaction:
    producer: int
    offsets: list[int]
    end: int | None = None
    is_committed: bool = False


@define
class TransactionalLog:
    """A log that producers write to in transactions, each of which remembers what it wrote and how that ended."""

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


@given(st.data())
@settings(max_examples=examples(150))
def test_exactly_what_was_committed_is_read_from_any_offset(data: st.DataObject) -> None:
    log = TransactionalLog()
    for _ in range(data.draw(st.integers(1, 25))):
        log.do(
            data.draw(st.sampled_from(log.STEPS)),
            data.draw(st.integers(1, 3)),
            count=data.draw(st.integers(1, 3)),
        )
    start = data.draw(st.integers(0, log.last_stable_offset))
    answer, aborted = log.read(start)
    assert kept(answer, aborted, start) == [offset for offset in log.committed() if offset >= start]
