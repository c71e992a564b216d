"""What one end writes the other reads, and whatever is not that is a DecodeError and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from struct import pack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import (
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    peek_correlation_id,
)
from kafka_nextgen.wire.messages import ApiVersionsResponse, FetchResponse, MetadataRequest
from tests.support.examples import examples
from tests.wire.schema_messages import ALL, full, message_class, messages, name_of

Case = tuple[Api, int, bool]
CORRELATION_ID = 77


def encoded(case: Case, message: Any) -> bytes:
    """The frame without its length."""
    api, version, is_request = case
    if is_request:
        return bytes(encode_request(message, version, CORRELATION_ID, "me"))[4:]
    return bytes(encode_response(api, message, version, CORRELATION_ID))[4:]


def decoded(case: Case, frame: bytes) -> Any:
    api, version, is_request = case
    if is_request:
        request = decode_request(frame)
        return request.message
    return decode_response(api, version, frame)[1]


def whole(case: Case) -> bytes:
    return encoded(case, full(message_class(case), case[1]))


def test_a_message_arrives_as_it_was_sent() -> None:
    for case in ALL:
        with about(case):
            message = full(message_class(case), case[1])
            assert decoded(case, encoded(case, message)) == message


@settings(max_examples=examples(2_000))
@given(st.sampled_from(ALL), st.data())
def test_any_message_arrives_as_it_was_sent(case: Case, data: st.DataObject) -> None:
    message = data.draw(messages(message_class(case), case[1]))
    assert decoded(case, encoded(case, message)) == message


@contextmanager
def about(case: Case) -> Iterator[None]:
    """Name the case that fails: one test goes through all of them, which takes less time than a test of each."""
    try:
        yield
    except BaseException as error:
        raise AssertionError(f"{name_of(case)}: {error}") from error


def is_refused(case: Case, frame: bytes) -> bool:
    try:
        decoded(case, frame)
    except DecodeError:
        return True
    return False


def test_a_cut_frame_is_refused_wherever_it_is_cut() -> None:
    for case in ALL:
        frame = whole(case)
        with about(case):
            assert [size for size in range(len(frame)) if not is_refused(case, frame[:size])] == []


def test_bytes_too_many_are_refused() -> None:
    for case in ALL:
        with about(case), pytest.raises(DecodeError, match="follow"):
            decoded(case, whole(case) + bytes(2))


def test_ones_without_end_are_refused_at_once() -> None:
    for case in ALL:
        api, version, is_request = case
        header = pack(">hhihB", api.key, version, 0, -1, 0) if is_request else pack(">i", 0)
        with about(case), pytest.raises(DecodeError):
            decoded(case, header + b"\xff" * 200_000)


def test_a_frame_begins_with_its_length() -> None:
    frame = encode_request(MetadataRequest(topics=[]), 12, 1, None)
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4


def test_a_request_tells_who_asks_and_what() -> None:
    request = decode_request(encode_request(MetadataRequest(topics=None), 12, 5, "billing")[4:])
    asked = request.api, request.version, request.correlation_id, request.client_id
    assert asked == (apis.METADATA, 12, 5, "billing")
    assert request.message is not None
    assert request.message.topics is None
    assert decode_request(encode_request(MetadataRequest(topics=[]), 12, 5, None)[4:]).client_id is None


def test_a_message_knows_its_version() -> None:
    frame = encode_response(apis.FETCH, FetchResponse(responses=[]), 12, 1)[4:]
    assert decode_response(apis.FETCH, 12, frame)[1].version == 12


def test_an_answer_tells_which_request_it_belongs_to() -> None:
    assert peek_correlation_id(b"\x00\x00\x01\x00rest") == 256
    with pytest.raises(DecodeError, match="correlation id"):
        peek_correlation_id(b"\x00\x00\x01")


def test_librdkafkas_question_for_all_topics_is_understood() -> None:
    # It writes null with four bytes: what is read are the first of them, two booleans and the tags.
    frame = pack(">hhihB", 3, 13, 1, -1, 0) + bytes.fromhex("00000000 01 00 00")
    message = decode_request(frame).message
    assert message is not None
    assert (message.topics, message.allow_auto_topic_creation) == (None, False)


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        pytest.param(pack(">hhih", 999, 0, 1, -1), "API key 999", id="an unknown API"),
        pytest.param(pack(">hhih", 3, 99, 1, -1), r"Metadata v99.*0 to 13", id="a version that is not spoken"),
        pytest.param(pack(">hhih", 18, 0, 8, 2) + b"\xff\xfe", "UTF-8", id="a client's name that is no text"),
    ],
)
def test_a_request_that_cannot_be_is_refused(frame: bytes, complaint: str) -> None:
    with pytest.raises(DecodeError, match=complaint):
        decode_request(frame)


def test_a_version_of_api_versions_that_is_not_spoken_is_no_error() -> None:
    # KIP-511: it is answered with version 0, so that the client learns what is.
    request = decode_request(pack(">hhih", 18, 99, 8, 2) + b"me" + b"whatever version 99 says")
    assert (request.api, request.correlation_id, request.client_id, request.message) == (
        apis.API_VERSIONS,
        8,
        "me",
        None,
    )


def test_api_versions_answers_an_error_in_version_0() -> None:
    refusal = ApiVersionsResponse(error_code=35, api_keys=[])
    frame = encode_response(apis.API_VERSIONS, refusal, 4, 8)[4:]
    assert frame == pack(">ihi", 8, 35, 0)
    assert decode_response(apis.API_VERSIONS, 4, frame)[1].error_code == 35
