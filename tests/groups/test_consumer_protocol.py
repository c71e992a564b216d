"""The embedded consumer protocol of classic groups: bytes of every version, and malformed bytes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import (
    NO_GENERATION,
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    user_data_of,
    version_of,
)
from kafka_nextgen.types import TopicPartition

NAMES = st.text(max_size=4)
PARTITIONS = st.frozensets(st.builds(TopicPartition, NAMES, st.integers(0, 2**31 - 1)), max_size=5)
SUBSCRIPTIONS = st.builds(
    MemberSubscription,
    topics=st.frozensets(NAMES, max_size=4),
    owned=PARTITIONS,
    generation=st.integers(-1, 2**31 - 1),
    rack_id=st.none() | NAMES,
    user_data=st.none() | st.binary(max_size=4),
)


@given(SUBSCRIPTIONS)
def test_a_subscription_comes_back(subscription: MemberSubscription) -> None:
    assert decode_subscription(encode_subscription(subscription)) == subscription


@given(SUBSCRIPTIONS, st.integers(0, 3))
def test_an_older_version_lacks_what_came_later(subscription: MemberSubscription, version: int) -> None:
    known = subscription
    if version < 3:
        known = evolve(known, rack_id=None)
    if version < 2:
        known = evolve(known, generation=NO_GENERATION)
    if version < 1:
        known = evolve(known, owned=frozenset())
    assert decode_subscription(encode_subscription(subscription, version)) == known


@given(PARTITIONS)
def test_an_assignment_comes_back(partitions: frozenset[TopicPartition]) -> None:
    assert decode_assignment(encode_assignment(partitions)) == partitions


@pytest.mark.parametrize("user_data", [None, b"", b"stickiness"])
def test_an_assignor_may_have_more_to_say(user_data: bytes | None) -> None:
    assignment = encode_assignment(frozenset({TopicPartition("a", 2)}), user_data=user_data)
    assert user_data_of(assignment) == user_data
    assert decode_assignment(assignment) == {TopicPartition("a", 2)}


def test_no_bytes_are_a_part_with_nothing_in_it() -> None:
    assert decode_assignment(b"") == frozenset()
    assert user_data_of(b"") is None


@pytest.mark.parametrize(("written", "spoken"), [(0, 0), (1, 1), (3, 3), (9, 3)])
def test_whoever_answers_speaks_the_version_that_both_know(written: int, spoken: int) -> None:
    assert version_of(encode_subscription(MemberSubscription(), written)) == spoken


def test_the_bytes_of_a_subscription() -> None:
    subscription = MemberSubscription(
        frozenset({"b", "a"}), frozenset({TopicPartition("a", 1), TopicPartition("a", 0)}), 7, "r", b"\x01"
    )
    assert encode_subscription(subscription).hex(" ") == (
        "00 03 "  # version
        "00 00 00 02 00 01 61 00 01 62 "  # topics, sorted
        "00 00 00 01 01 "  # user data
        "00 00 00 01 00 01 61 00 00 00 02 00 00 00 00 00 00 00 01 "  # owned
        "00 00 00 07 "  # generation
        "00 01 72"  # rack
    )


def test_the_bytes_of_an_assignment() -> None:
    assert encode_assignment(frozenset({TopicPartition("a", 2)})).hex(" ") == (
        "00 03 00 00 00 01 00 01 61 00 00 00 01 00 00 00 02 ff ff ff ff"
    )


def test_a_newer_version_is_read_as_ours() -> None:
    newer = encode_subscription(MemberSubscription(frozenset({"a"})), 9) + b"\x00\x00\x00\x05"
    assert decode_subscription(newer).topics == {"a"}
    assert decode_assignment(b"\x00\x09" + encode_assignment(frozenset())[2:] + b"more") == frozenset()


@given(SUBSCRIPTIONS, st.data())
def test_a_subscription_cut_short_is_refused(subscription: MemberSubscription, data: st.DataObject) -> None:
    whole = encode_subscription(subscription)
    with pytest.raises(DecodeError):
        decode_subscription(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for decode in (decode_subscription, decode_assignment):
        with suppress(DecodeError):
            decode(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param("ff ff 00 00 00 00", "version -1", id="a version below 0"),
        pytest.param("00 00 7f ff ff ff", "array of 2147483647", id="more topics than there are bytes"),
        pytest.param("00 00 ff ff ff ff", "array of -1", id="an array is never null"),
        pytest.param("00 00 00 00 00 01 ff ff", "without a name", id="a topic that is null"),
        pytest.param("00 00 00 00 00 01 00 01 ff 00 00", "not UTF-8", id="a topic that is no text"),
        pytest.param("00 00 00 00 00 00 ff ff ff fe", "wrong length", id="user data of length -2"),
        pytest.param("00 01 00 00 00 00 ff ff ff ff 00 00 00 01 00 01 61 00 00 00 01 ff ff ff ff", r"a\[-1\]"),
    ],
)
def test_what_is_no_subscription_is_refused(data: str, why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        decode_subscription(bytes.fromhex(data))
