"""Rebalances in ``__consumer_offsets``, there and back, and what a later release writes."""

from __future__ import annotations

from struct import pack

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.records import Rebalance, RebalanceRecorded, RebalanceRecordedRemoved
from kafka_nextgen.offsets_topic.extensions import decode, encode
from kafka_nextgen.types import JoinReason, RebalanceReason

CAUSES = st.builds(
    Cause,
    st.sampled_from(RebalanceReason),
    st.text(max_size=20),
    st.none() | st.text(max_size=20),
    st.sampled_from(JoinReason),
    st.text(max_size=50),
)
TIMES = st.integers(0, 2**62)
EPOCHS = st.integers(0, 2**31 - 1)
REBALANCES = st.builds(Rebalance, TIMES, CAUSES, TIMES, st.booleans(), EPOCHS, st.none() | EPOCHS, st.none() | TIMES)
FIRST = Rebalance(1, Cause(RebalanceReason.MEMBER_JOINED, "A", "one", JoinReason.RESTART, "subscribed"), 5, False, 2)


@given(slot=st.integers(0, 2**31 - 1), rebalance=REBALANCES)
def test_what_is_written_is_read(slot: int, rebalance: Rebalance) -> None:
    record = RebalanceRecorded("g", slot, rebalance)
    written = encode(record)
    assert decode(written.key, written.value) == record


def test_a_tombstone_has_the_key_of_its_record() -> None:
    written = encode(RebalanceRecordedRemoved("g", 3))
    assert written == evolve(encode(RebalanceRecorded("g", 3, FIRST)), value=None)
    assert written.key == pack(">hh1si", 10_000, 1, b"g", 3)
    assert decode(written.key, None) == RebalanceRecordedRemoved("g", 3)


def test_reasons_of_a_later_release_are_unknown() -> None:
    written = encode(RebalanceRecorded("g", 3, FIRST))
    value = bytearray(written.value or b"")
    assert value[10] == RebalanceReason.MEMBER_JOINED  # behind the version and the number
    value[10] = 99
    read = decode(written.key, bytes(value))
    assert isinstance(read, RebalanceRecorded)
    assert read.rebalance.cause == evolve(FIRST.cause, reason=RebalanceReason.UNKNOWN)


@pytest.mark.parametrize("cut", [0, 1, 5, 10, 30])
def test_half_a_record_is_an_error(cut: int) -> None:
    written = encode(RebalanceRecorded("g", 3, FIRST))
    with pytest.raises(DecodeError):
        decode(written.key, (written.value or b"")[:cut])
