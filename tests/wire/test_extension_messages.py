"""What is added to Kafka's messages, byte by byte: tagged fields from 10000 up, which stock peers pass over."""

from __future__ import annotations

from uuid import UUID

import pytest

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeResponse,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupInstallAssignmentRequest,
    ConsumerGroupPrepareAssignmentRequest,
)
from kafka_nextgen.wire.schemas.consumer_group import ClientAssignor, TopicPartitions
from kafka_nextgen.wire.schemas.groups import ExpectedMember

ORDERS = UUID("00112233-4455-6677-8899-aabbccddeeff")
ORDERS_HEX = ORDERS.hex
HEADER = "0044 0001 00000007 0002 6d65 00"  # key, version, correlation id, client id, tags
Assignment = ConsumerGroupHeartbeatResponse.Assignment
Group = ConsumerGroupDescribeResponse.DescribedGroup
UNCHANGED = "02 67 02 6d 00000009 00 00 ffffffff 00 00 00 00"
TAG_10000, TAG_10001, TAG_10002, TAG_10003 = "90 4e", "91 4e", "92 4e", "93 4e"


def frame(*parts: str) -> bytes:
    """Hexadecimal parts, with the length in front."""
    body = bytes.fromhex("".join(parts))
    return len(body).to_bytes(4, "big") + body


def heartbeat(
    assignors: list[ClientAssignor] | None, reason: int = 0, standby: int = 0
) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        member_epoch=9,
        client_assignors=assignors,
        join_reason=reason,
        standby_state=standby,
    )


BY_CUSTOMER = ClientAssignor(
    name="mine", minimum_version=-1, maximum_version=2, reason=1, metadata_version=2, metadata_bytes=b"\x07"
)
ASSIGNORS = (TAG_10000, "10", "02", "05 6d696e65", "ffff", "0002", "01", "0002", "02 07", "00")


@pytest.mark.parametrize(
    ("message", "tags"),
    [
        pytest.param(heartbeat(None), ["00"], id="nothing new"),
        pytest.param(heartbeat([]), ["01", TAG_10000, "01 01"], id="no assignors any more"),
        pytest.param(heartbeat([BY_CUSTOMER]), ["01", *ASSIGNORS], id="an assignor"),
        pytest.param(heartbeat(None, reason=3), ["01", TAG_10001, "01 03"], id="a reason"),
        pytest.param(heartbeat([BY_CUSTOMER], 1), ["02", *ASSIGNORS, TAG_10001, "01 01"], id="both"),
        pytest.param(heartbeat(None, standby=1), ["01", TAG_10002, "01 01"], id="a standby that is loading"),
    ],
)
def test_a_heartbeat_tells_assignors_and_a_reason_by_tags(
    message: ConsumerGroupHeartbeatRequest, tags: list[str]
) -> None:
    expected = frame(HEADER, UNCHANGED, *tags)
    assert encode_request(message, 1, 7, "me") == expected
    assert decode_request(expected[4:]).message == message


def answer(
    assignment: Assignment | None, should_compute: bool = False, message: str | None = None
) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(
        member_id="m",
        member_epoch=10,
        assignment=assignment,
        should_compute_assignment=should_compute,
        assignment_message=message,
    )


ANSWER = "00000007 00 00000000 0000 00 02 6d 0000000a 00000000"


@pytest.mark.parametrize(
    ("message", "bytes_of_it"),
    [
        pytest.param(answer(None, True), ["ff", "01", TAG_10000, "01 01"], id="compute"),
        pytest.param(answer(None, message="x"), ["ff", "01", TAG_10001, "02 02 78"], id="a failure"),
        pytest.param(
            answer(Assignment(topic_partitions=[], error=3)), ["01 01 01", TAG_10000, "01 03", "00"], id="an error"
        ),
        pytest.param(
            answer(
                Assignment(
                    topic_partitions=[],
                    pending_topic_partitions=[TopicPartitions(topic_id=ORDERS, partitions=[3])],
                )
            ),
            ["01 01 01", TAG_10001, "17 02", ORDERS_HEX, "02 00000003 00", "00"],
            id="a partition that is not free yet",
        ),
        pytest.param(
            answer(Assignment(topic_partitions=[], metadata_version=2, metadata_bytes=b"")),
            ["01 01 02", TAG_10002, "02 0002", TAG_10003, "01 01", "00"],
            id="metadata that is empty",
        ),
    ],
)
def test_an_answer_tells_what_the_assignor_said_by_tags(
    message: ConsumerGroupHeartbeatResponse, bytes_of_it: list[str]
) -> None:
    expected = frame(ANSWER, *bytes_of_it)
    assert encode_response(apis.CONSUMER_GROUP_HEARTBEAT, message, 1, 7) == expected
    assert decode_response(apis.CONSUMER_GROUP_HEARTBEAT, 1, expected[4:]) == (7, message)


def test_a_described_group_tells_by_tags_who_is_expected() -> None:
    expected = ExpectedMember(instance_id="i", has_joined=True, expected_until=5)
    expecting = Group(group_id="g", expected_members=[expected])
    described = encode_response(apis.CONSUMER_GROUP_DESCRIBE, ConsumerGroupDescribeResponse(groups=[expecting]), 1, 7)
    plain = "00000007 00 00000000 02 0000 00 02 67 01 00000000 00000000 01 01 80000000"
    assert described == frame(plain, "01", TAG_10000, "0d 02 02 69 01 0000000000000005 00", "00")


def test_a_prepare_request() -> None:
    request = ConsumerGroupPrepareAssignmentRequest(group_id="g", member_id="m", member_epoch=9)
    assert encode_request(request, 0, 7, "me") == frame("2710 0000 00000007 0002 6d65 00", "02 67 02 6d 00000009 00")


def test_an_install_request() -> None:
    member_class = ConsumerGroupInstallAssignmentRequest.Member
    partitions = [TopicPartitions(topic_id=ORDERS, partitions=[3])]
    given = member_class(member_id="m", partitions=partitions, metadata_version=1, metadata_bytes=None)
    request = ConsumerGroupInstallAssignmentRequest(
        group_id="g", member_id="m", member_epoch=9, group_epoch=10, error=0, members=[given]
    )
    assert encode_request(request, 0, 7, "me") == frame(
        "2711 0000 00000007 0002 6d65 00",
        "02 67 02 6d 00000009 0000000a 00 00",
        f"02 02 6d 02 {ORDERS_HEX} 02 00000003 00 0001 00 00",
        "00",
    )


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        pytest.param(["01", TAG_10000, "02 7f 00"], "126 elements", id="more assignors than bytes"),
        pytest.param(["01", TAG_10000, "03 01 00 00"], "does not fill", id="bytes left over in a tag"),
        pytest.param(["01", TAG_10000, "7f 01"], "needs 127 bytes", id="a tag beyond the message"),
        pytest.param(["02", TAG_10001, "01 01", TAG_10000, "01 01"], "tag 10000 after", id="tags out of order"),
        pytest.param(["01", TAG_10001, "02 00 01"], "does not fill", id="a reason of two bytes"),
        pytest.param(["01", TAG_10000, "0b 02 00 ffff 0002 01 0002 01 00"], "null", id="an assignor without a name"),
    ],
)
def test_what_no_honest_member_sends_is_refused(tags: list[str], why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        decode_request(frame(HEADER, UNCHANGED, *tags)[4:])


def test_tags_that_nobody_knows_are_passed_over() -> None:
    read = decode_request(frame(HEADER, UNCHANGED, "02", "8f 4e 02 beef", TAG_10001, "01 02")[4:]).message
    assert isinstance(read, ConsumerGroupHeartbeatRequest)
    assert (read.member_epoch, read.join_reason) == (9, 2)
