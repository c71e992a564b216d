"""Messages as values: frozen, with defaults, and what writing makes of the odd ones."""

from __future__ import annotations

from uuid import UUID

import pytest

from kafka_nextgen.wire.frames import read_message, write_message
from kafka_nextgen.wire.messages import (
    DescribeGroupsResponse,
    HeartbeatResponse,
    JoinGroupRequest,
    MetadataRequest,
    MetadataResponse,
)
from kafka_nextgen.wire.schema import Versions
from kafka_nextgen.wire.schemas.offsets_topic import ConsumerGroupMemberMetadataValue, OffsetCommitValue

NO_TAGS = b"\x00"


@pytest.mark.parametrize(
    ("text", "lowest", "highest"), [("0+", 0, 32767), ("2-4", 2, 4), ("3", 3, 3), ("none", 0, -1), ("0-0", 0, 0)]
)
def test_versions_are_written_as_kafka_writes_them(text: str, lowest: int, highest: int) -> None:
    assert Versions.parse(text) == (lowest, highest)
    assert Versions.parse(text).has(lowest) == (highest >= lowest)
    assert not Versions.parse(text).has(highest + 1)


def test_a_message_is_frozen() -> None:
    answer = HeartbeatResponse(error_code=3)
    with pytest.raises(AttributeError, match="HeartbeatResponse is frozen: error_code can't be set"):
        answer.error_code = 4  # type: ignore[misc]
    with pytest.raises(AttributeError, match="error_code can't be deleted"):
        del answer.error_code


def test_a_field_that_is_not_given_has_its_default_and_one_there_is_not_is_refused() -> None:
    answer = HeartbeatResponse()
    assert (answer.throttle_time_ms, answer.error_code, repr(answer)) == (0, 0, "HeartbeatResponse()")
    for make in (HeartbeatResponse, answer.replaced):
        with pytest.raises(TypeError, match="HeartbeatResponse has no field 'error'"):
            make(error=3)  # type: ignore[call-arg]


def test_messages_with_the_same_fields_are_equal_whatever_version_they_were_read_in() -> None:
    answer = HeartbeatResponse(throttle_time_ms=7, error_code=3)
    read = read_message(HeartbeatResponse, 4, write_message(answer, 4))
    assert (read, hash(read)) == (answer, hash(answer))
    assert (read.version, answer.version) == (4, -1)
    assert answer != MetadataRequest()
    changed = read.replaced(error_code=4)
    assert read != changed, "and has not changed itself"
    assert (changed.throttle_time_ms, changed.error_code, changed.version) == (7, 4, 4)


def test_a_field_outside_the_version_is_not_written() -> None:
    answer = HeartbeatResponse(throttle_time_ms=7, error_code=3)
    assert write_message(answer, 0) == b"\x00\x03"
    assert read_message(HeartbeatResponse, 0, b"\x00\x03").throttle_time_ms == 0


def test_a_tag_is_written_only_if_it_says_something() -> None:
    silent = OffsetCommitValue(offset=1)
    assert write_message(silent, 4).endswith(NO_TAGS)
    spoken = silent.replaced(topic_id=UUID(int=5))
    assert write_message(spoken, 4).endswith(b"\x01\x00\x10" + UUID(int=5).bytes)


def test_null_is_written_where_the_default_of_a_tag_is_a_structure() -> None:
    # As Kafka does for members of the consumer protocol: a value without the tag has an empty structure.
    value = ConsumerGroupMemberMetadataValue(classic_member_metadata=None)
    assert write_message(value, 0).endswith(b"\x01\x00\x01\x00")
    assert read_message(ConsumerGroupMemberMetadataValue, 0, write_message(value, 0)) == value


def test_an_id_of_zeros_is_none_and_a_list_becomes_a_tuple() -> None:
    topics = [MetadataRequest.MetadataRequestTopic(topic_id=None, name="a")]
    request = MetadataRequest(topics=topics)
    assert request.topics == tuple(topics)
    body = write_message(request, 12)
    assert bytes(16) in body
    assert read_message(MetadataRequest, 12, body).topics == tuple(topics)


@pytest.mark.parametrize(("bits", "number"), [(None, "80000000"), (frozenset(), "00000000"), ({0, 3}, "00000009")])
def test_bits_that_are_not_known_are_none(bits: frozenset[int] | None, number: str) -> None:
    group = DescribeGroupsResponse.DescribedGroup(authorized_operations=bits)
    body = write_message(DescribeGroupsResponse(groups=[group]), 3)
    assert body.endswith(bytes.fromhex(number))
    (read,) = read_message(DescribeGroupsResponse, 3, body).groups
    assert read.authorized_operations == bits


def test_lengths_of_two_bytes_are_varints() -> None:
    brokers = [MetadataResponse.MetadataResponseBroker(host="h" * size) for size in (126, 127, 20_000)]
    body = write_message(MetadataResponse(brokers=brokers), 12)
    assert b"\x7f" + b"h" * 126 + bytes(4) in body
    assert b"\x80\x01" + b"h" * 127 + bytes(4) in body
    assert read_message(MetadataResponse, 12, body).brokers == tuple(brokers)


def test_our_own_tag_goes_out_from_its_version_on() -> None:
    join = JoinGroupRequest(group_id="g", join_reason=1)
    assert read_message(JoinGroupRequest, 6, write_message(join, 6)).join_reason == 1
    assert read_message(JoinGroupRequest, 5, write_message(join, 5)).join_reason == 0
