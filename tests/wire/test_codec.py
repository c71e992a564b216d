"""What the codec refuses, one small frame each; the error says which field, and what is wrong."""

from __future__ import annotations

from struct import pack

import pytest

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.frames import read_message, write_message
from kafka_nextgen.wire.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatResponse,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
    SaslAuthenticateRequest,
)
from tests.wire.schema_messages import full

NO_TAGS = b"\x00"
FALSE = b"\x00"


def describe(group_ids: bytes, tags: bytes = NO_TAGS) -> bytes:
    """The body of a ConsumerGroupDescribe request: an array of strings, a boolean, tags."""
    return group_ids + FALSE + tags


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(b"", "ends inside a varint", id="nothing at all"),
        pytest.param(b"\x02\x05ab", "needs 4 bytes, 2 are left", id="a string longer than the message"),
        pytest.param(b"\xff\xff\xff\xff\x0f", "4294967294 elements", id="four thousand million elements"),
        pytest.param(b"\x80\x80\x80\x80\x80\x01", "more than 5 bytes", id="a varint of six bytes"),
        pytest.param(b"\xff\xff\xff\xff\x1f", "beyond 32 bits", id="a varint of 33 bits"),
        pytest.param(b"\x81\x00", "shortest form", id="a varint with an empty last byte"),
        pytest.param(describe(b"\x00"), "null", id="a null array that may not be null"),
        pytest.param(describe(b"\x02\x00"), "null", id="a null string in an array"),
        pytest.param(describe(b"\x02\x03\xc3\x28"), "not UTF-8", id="a string that is no text"),
        pytest.param(describe(b"\x01", tags=b"\x01\x05\x7f"), "tag 5: needs 127 bytes", id="a tag that has no end"),
        pytest.param(describe(b"\x01", tags=b"\x02\x05\x00\x05\x00"), "tag 5 after tag 5", id="a tag twice"),
        pytest.param(describe(b"\x01", tags=b"\x02\x06\x00\x05\x00"), "tag 5 after tag 6", id="tags out of order"),
        pytest.param(describe(b"\x01", tags=b"\xff\xff\xff\xff\x0f"), "varint", id="tags without end"),
        pytest.param(describe(b"\x01") + b"x", "1 bytes follow", id="something behind the end"),
    ],
)
def test_a_flexible_message_is_refused(body: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError, match=complaint):
        read_message(ConsumerGroupDescribeRequest, 0, body)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(pack(">i", 0x7FFFFFFF), "2147483647 elements of 2 bytes or more", id="elements without end"),
        pytest.param(pack(">i", -2), "a length of -2", id="an array shorter than null"),
        pytest.param(pack(">ih", 1, -2), "a length of -2", id="a string shorter than null"),
        pytest.param(pack(">ih", 1, -1), "topics, name: null", id="a null name"),
        pytest.param(pack(">ih", 1, 9), "name: needs 9 bytes, 0 are left", id="a name that is not there"),
        pytest.param(pack(">i", 0) + b"\x00\x00", "1 bytes follow", id="something behind the end"),
    ],
)
def test_a_classic_message_is_refused(body: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError, match=complaint):
        read_message(MetadataRequest, 4, body)


def test_an_error_names_message_version_and_field() -> None:
    with pytest.raises(DecodeError, match=r"^MetadataResponse v12, brokers: \d+ elements"):
        read_message(MetadataResponse, 12, bytes(4) + b"\xff\xff\xff\x7f")


def test_what_is_odd_and_allowed_is_read() -> None:
    read_message(ConsumerGroupDescribeRequest, 0, describe(b"\x03" + b"\x02a" + b"\x01"))
    read_message(ConsumerGroupDescribeRequest, 0, describe(b"\x01", tags=b"\x01\x63\x03abc"))  # an unknown tag
    read_message(MetadataRequest, 4, pack(">i?", -1, True))  # null where the schema allows it
    read_message(SaslAuthenticateRequest, 0, pack(">i", 4) + b"\xff\xff\xff\xff")  # bytes that are no text


def test_a_structure_is_there_or_null() -> None:
    head = pack(">ih", 0, 0) + b"\x00\x00" + pack(">ii", 0, 0)
    read_message(ConsumerGroupHeartbeatResponse, 0, head + b"\xff" + NO_TAGS)
    with pytest.raises(DecodeError, match="assignment: neither null nor a structure: begins with 7"):
        read_message(ConsumerGroupHeartbeatResponse, 0, head + b"\x07" + NO_TAGS)


def test_a_known_tag_must_fill_its_size() -> None:
    answer = FetchResponse(responses=[])
    sound = write_message(answer, 16)[:-1]  # without the empty tags at its end
    endpoints = 0
    no_endpoints = b"\x01"
    read_message(FetchResponse, 16, sound + bytes([1, endpoints, 1]) + no_endpoints)
    with pytest.raises(DecodeError, match="tag 0: the field does not fill its 2 bytes"):
        read_message(FetchResponse, 16, sound + bytes([1, endpoints, 2]) + no_endpoints + b"\x00")


def test_unknown_tags_inside_a_tagged_field_are_passed_over() -> None:
    answer = full(FetchResponse, 12)
    body = write_message(answer, 12)
    diverging = pack(">iq", 70_000, 1 << 40)
    field = b"\x00\x0d" + diverging  # tag 0 of 13 bytes
    assert field + NO_TAGS in body
    longer = b"\x00\x12" + diverging + b"\x01\x63\x03abc"
    assert read_message(FetchResponse, 12, body.replace(field + NO_TAGS, longer)) == answer
    with pytest.raises(DecodeError, match="needs 12 bytes, 11 are left"):
        read_message(FetchResponse, 12, body.replace(field + NO_TAGS, b"\x00\x0b" + diverging[:-1]))


def test_more_elements_than_memory_can_be_made_of_are_refused_before_they_are_looked_at() -> None:
    # Two million names of no bytes would become 100 MB of strings, and so much more of structures.
    names = 2_000_001
    with pytest.raises(DecodeError, match="2000001 elements, more than fit into a reasonable amount"):
        read_message(MetadataRequest, 4, pack(">i", names) + b"\xff" * 2 * names)


def test_numbers_weigh_less_than_objects() -> None:
    numbers = 3_000_000
    topic = b"\x02" + bytes(16) + varint(numbers + 1) + bytes(4 * numbers) + NO_TAGS
    head = pack(">ih", 0, 0) + b"\x00\x00" + pack(">ii", 0, 0)
    read_message(ConsumerGroupHeartbeatResponse, 0, head + b"\x01" + topic + NO_TAGS + NO_TAGS)


def varint(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80, number >> 7 & 0x7F | 0x80, number >> 14 & 0x7F | 0x80, number >> 21])
