"""FindCoordinator: one key at a time up to version 3, lists from version 4 on."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.find_coordinator import GROUP, FoundCoordinator, from_response, to_request
from kafka_nextgen.testing.messages.find_coordinator import from_request, to_response
from kafka_nextgen.wire.apis import FIND_COORDINATOR
from tests.requests.over_the_wire import answered, asked

FOUND = FoundCoordinator("g", 3, "kafka-3", 9092)


def answer(found: FoundCoordinator, version: int) -> Any:
    return answered(FIND_COORDINATOR, to_response([found], version), version)


@pytest.mark.parametrize("version", range(7))
def test_a_question_arrives_and_so_does_its_answer(version: int) -> None:
    assert from_request(asked(to_request("g", version), version)) == (GROUP, ("g",))
    assert from_response(answer(FOUND, version), "g") == FOUND
    if version >= 1:
        error = FoundCoordinator("g", error=ErrorCode.COORDINATOR_NOT_AVAILABLE, message="not yet")
        assert from_response(answer(error, version), "g") == error


def test_an_answer_about_another_group_is_refused() -> None:
    with pytest.raises(DecodeError, match="lacks group h"):
        from_response(answer(FOUND, 4), "h")


@pytest.mark.parametrize(
    "impossible",
    [
        pytest.param(FoundCoordinator("g", -1, "kafka-3", 9092), id="no node"),
        pytest.param(FoundCoordinator("g", 3, "", 9092), id="no host"),
        pytest.param(FoundCoordinator("g", 3, "kafka-3", 0), id="port 0"),
        pytest.param(FoundCoordinator("g", 3, "kafka-3", 65536), id="a port beyond the last"),
    ],
)
def test_a_coordinator_that_cannot_be_reached_is_refused(impossible: FoundCoordinator) -> None:
    with pytest.raises(DecodeError, match="the invalid address"):
        from_response(answer(impossible, 4), "g")
