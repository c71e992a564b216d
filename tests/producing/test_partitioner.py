"""Partitions are chosen as by the other clients; kafka-python's hash was checked against Java's by its authors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as peer_murmur2

from kafka_nextgen.producing.partitioner import Partitioner, murmur2


@given(st.binary(max_size=40))
def test_the_hash_is_the_one_other_clients_use(key: bytes) -> None:
    assert murmur2(key) == peer_murmur2(key) & 0xFFFFFFFF


@given(st.binary(max_size=40), st.integers(1, 100))
def test_a_key_always_goes_to_one_partition_of_those_there_are(key: bytes, count: int) -> None:
    partitioner = Partitioner(count)
    chosen = partitioner.partition_of(key)
    partitioner.batch_sent()
    assert chosen in range(count)
    assert partitioner.partition_of(key) == chosen


def test_records_without_a_key_stay_together_for_a_batch_and_then_move_on() -> None:
    partitioner = Partitioner(2)
    chosen = []
    for _ in range(3):
        chosen += [partitioner.partition_of(None), partitioner.partition_of(None)]
        partitioner.batch_sent()
    assert chosen == [0, 0, 1, 1, 0, 0]
