"""The messages of KIP-848, byte by byte: each frame is put together by hand from the schema."""

from __future__ import annotations

import pytest

from kafka_nextgen.wire import apis
from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions as Owned
from tests.wire.hex_frames import ORDERS, ORDERS_HEX, frame, header

Assignment = ConsumerGroupHeartbeatResponse.Assignment


JOIN = ConsumerGroupHeartbeatRequest(
    group_id="g",
    member_id="m",
    member_epoch=0,
    rebalance_timeout_ms=300_000,
    subscribed_topic_names=["a", "bc"],
    topic_partitions=[],
)
JOIN_START = (
    "02 67",  # group "g"
    "02 6d",  # member "m"
    "00000000",  # epoch 0
    "00",  # no instance id
    "00",  # no rack
    "000493e0",  # five minutes
    "03 02 61 03 62 63",  # two names
)
JOIN_END = (
    "00",  # no assignor
    "01",  # owns nothing: empty, not null
    "00",  # no tags
)


def test_a_join_of_version_0_has_no_pattern() -> None:
    assert encode_request(JOIN, 0, 7, "me") == frame(header(0), *JOIN_START, *JOIN_END)


def test_a_join_of_version_1_has_one_that_may_be_null() -> None:
    assert encode_request(JOIN, 1, 7, "me") == frame(header(1), *JOIN_START, "00", *JOIN_END)


def test_an_unchanged_heartbeat_is_all_null() -> None:
    unchanged = ConsumerGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=9)
    assert encode_request(unchanged, 1, 7, "me") == frame(
        header(1), "02 67", "02 6d", "00000009", "00", "00", "ffffffff", "00", "00", "00", "00", "00"
    )


def test_an_acknowledgement_lists_what_is_owned() -> None:
    owned = [Owned(topic_id=ORDERS, partitions=[0, 5])]
    acknowledgement = ConsumerGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=9, topic_partitions=owned)
    expected = frame(
        header(1),
        "02 67 02 6d 00000009 00 00 ffffffff 00 00 00",
        "02",  # one topic
        ORDERS_HEX,
        "03 00000000 00000005",  # two partitions
        "00",  # the topic's tags
        "00",
    )
    assert encode_request(acknowledgement, 1, 7, "me") == expected
    assert decode_request(expected[4:]).message == acknowledgement


@pytest.mark.parametrize(
    ("assignment", "bytes_of_it"),
    [
        pytest.param(None, "ff", id="unchanged"),
        pytest.param(Assignment(topic_partitions=[]), "01 01 00", id="nothing"),
        pytest.param(
            Assignment(topic_partitions=[Owned(topic_id=ORDERS, partitions=[3])]),
            f"01 02 {ORDERS_HEX} 02 00000003 00 00",
            id="a partition",
        ),
    ],
)
def test_an_answer_tells_the_assignment(assignment: Assignment | None, bytes_of_it: str) -> None:
    answer = ConsumerGroupHeartbeatResponse(
        member_id="m", member_epoch=10, heartbeat_interval_ms=5000, assignment=assignment
    )
    expected = frame(
        "00000007 00",  # correlation id, tags
        "00000000",  # not throttled
        "0000 00",  # no error, no message
        "02 6d",
        "0000000a",
        "00001388",
        bytes_of_it,
        "00",
    )
    assert encode_response(apis.CONSUMER_GROUP_HEARTBEAT, answer, 1, 7) == expected
    assert decode_response(apis.CONSUMER_GROUP_HEARTBEAT, 1, expected[4:]) == (7, answer)


def test_a_describe_request() -> None:
    request = ConsumerGroupDescribeRequest(group_ids=["g"], include_authorized_operations=True)
    assert encode_request(request, 1, 7, "me") == frame("0045 0001 00000007 0002 6d65 00", "02 02 67", "01", "00")


@pytest.mark.parametrize(("version", "member_type"), [(0, ""), (1, "01")])
def test_a_described_group(version: int, member_type: str) -> None:
    group_class = ConsumerGroupDescribeResponse.DescribedGroup
    member_class = group_class.Member
    owned = member_class.Assignment(
        topic_partitions=[
            member_class.Assignment.TopicPartitions(topic_id=ORDERS, topic_name="o", partitions=[1]),
        ]
    )
    member = member_class(
        member_id="m",
        member_epoch=2,
        client_id="c",
        client_host="/h",
        subscribed_topic_names=["o"],
        assignment=owned,
        target_assignment=member_class.Assignment(topic_partitions=[]),
        member_type=1,
    )
    group = group_class(
        group_id="g", group_state="Stable", group_epoch=2, assignment_epoch=2, assignor_name="u", members=[member]
    )
    expected = frame(
        "00000007 00 00000000 02",
        "0000 00 02 67 07 537461626c65 00000002 00000002 02 75",
        "02",  # one member
        "02 6d 00 00 00000002 02 63 03 2f68 02 02 6f 00",
        f"02 {ORDERS_HEX} 02 6f 02 00000001 00 00",
        "01 00",
        member_type,
        "00",  # the member's tags
        "80000000",  # authorized operations were not asked for
        "00",
        "00",
    )
    answer = ConsumerGroupDescribeResponse(groups=[group])
    assert encode_response(apis.CONSUMER_GROUP_DESCRIBE, answer, version, 7) == expected
