"""The order in which Scala's mutable hash map iterates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.spark.scala_order import _java_hash, hash_map_order


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("a", 97), ("hello", 99_162_322), ("Aa", 2112), ("BB", 2112), ("polygenelubricants", 0x80000000)],
)
def test_hash_codes_are_those_that_java_is_known_for(text: str, code: int) -> None:
    assert _java_hash(text) == code


@given(st.integers(0, 300))
def test_partitions_without_a_gap_ascend(count: int) -> None:
    assert hash_map_order(range(count)) == list(range(count))


@pytest.mark.parametrize(
    ("puts", "order"),
    [
        pytest.param([3, 17], [17, 3], id="17 is in bucket 1 of 16"),
        pytest.param([0, 16, 32], [0, 16, 32], id="one bucket, by hash"),
        pytest.param([2, 196_608], [2, 196_608], id="the upper half of the hash counts: 3 * 65536 is in bucket 3"),
        pytest.param([*range(10), 20], [0, 1, 2, 3, 4, 20, 5, 6, 7, 8, 9], id="eleven keys fit into 16 buckets"),
        pytest.param([*range(10), 20, 30], [*range(10), 20, 30], id="the twelfth doubles them"),
        pytest.param([*range(10), 20, 20], [*range(10), 20], id="so does replacing a value"),
    ],
)
def test_partitions_with_gaps_are_in_the_order_of_buckets(puts: list[int], order: list[int]) -> None:
    assert hash_map_order(puts) == order


@pytest.mark.parametrize(
    ("puts", "order"),
    [
        pytest.param(["Aa", "BB"], ["Aa", "BB"], id="equal hashes, by age"),
        pytest.param(["BB", "Aa"], ["BB", "Aa"], id="equal hashes, by age, the other way round"),
        pytest.param(["Aa", "BB", "Aa"], ["Aa", "BB"], id="replacing a value makes a key no younger"),
        pytest.param(["p", "polygenelubricants"], ["polygenelubricants", "p"], id="a negative hash is before the rest"),
        pytest.param(["o", "p"], ["p", "o"], id="p is in bucket 0, o in bucket 15"),
    ],
)
def test_topics_are_in_the_order_of_buckets(puts: list[str], order: list[str]) -> None:
    assert hash_map_order(puts) == order


@given(st.lists(st.one_of(st.text(), st.sampled_from(["Aa", "BB"]))))
def test_each_key_comes_once(puts: list[str]) -> None:
    order = hash_map_order(puts)
    assert sorted(order) == sorted(set(puts))
    assert hash_map_order(puts) == order
