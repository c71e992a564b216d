"""What real clients and a real Kafka said to each other is read, and written back byte for byte."""

from __future__ import annotations

from itertools import groupby

import pytest

from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from tests.verification.fuzz import corpus
from tests.verification.fuzz.corpus import Frame

#: librdkafka ends these with its tags twice; what is left over is passed over, as Kafka does.
LEFT_OVER = {"AlterUserScramCredentials": b"\x00"}


def by_api(kind: str) -> list[tuple[Frame, ...]]:
    return [tuple(group) for _, group in groupby(corpus.frames(kind), key=lambda frame: frame.api)]


def name_of(frames: tuple[Frame, ...]) -> str:
    return frames[0].api.name


@pytest.mark.parametrize("frames", by_api(corpus.REQUEST), ids=name_of)
def test_a_request_comes_out_as_it_went_in(frames: tuple[Frame, ...]) -> None:
    for frame in frames:
        request = decode_request(frame.data)
        assert request.message is not None
        written = encode_request(request.message, request.version, request.correlation_id, request.client_id)[4:]
        assert frame.data in (written, written + LEFT_OVER.get(frame.api.name, b""))


@pytest.mark.parametrize("frames", by_api(corpus.RESPONSE), ids=name_of)
def test_an_answer_comes_out_as_it_went_in(frames: tuple[Frame, ...]) -> None:
    for frame in frames:
        correlation_id, message = decode_response(frame.api, frame.version, frame.data)
        assert encode_response(frame.api, message, frame.version, correlation_id)[4:] == frame.data
