"""ApiVersions: what a broker says it speaks."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.requests.api_versions import BrokerVersions, from_response, to_request
from kafka_nextgen.testing.messages.api_versions import to_response
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.messages import ApiVersionsResponse
from tests.requests.over_the_wire import answered, asked

SUPPORTED = {"group.version": (0, 1), "metadata.version": (7, 30)}
SPOKEN = BrokerVersions(ranges={3: (0, 13), 68: (0, 1)}, features={"group.version": 1}, supported=SUPPORTED)


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (4, SPOKEN),
        (3, evolve(SPOKEN, supported={"metadata.version": (7, 30)})),
        (2, evolve(SPOKEN, features={}, supported={})),
    ],
    ids=["all", "none of features that can be off", "no features"],
)
def test_ranges_and_features_arrive_as_far_as_the_version_goes(version: int, told: BrokerVersions) -> None:
    assert from_response(answered(API_VERSIONS, to_response(SPOKEN, version), version)) == told


def test_a_refusal_still_tells_the_ranges() -> None:
    refusal = BrokerVersions(ranges={18: (0, 3)}, error=ErrorCode.UNSUPPORTED_VERSION)
    assert from_response(answered(API_VERSIONS, to_response(refusal), 4)) == refusal


def test_an_empty_range_is_no_range() -> None:
    ranges = [
        ApiVersionsResponse.ApiVersion(api_key=key, min_version=lowest, max_version=highest)
        for key, lowest, highest in [(1, 5, 4), (2, -1, 3), (3, 0, 0)]
    ]
    assert from_response(answered(API_VERSIONS, ApiVersionsResponse(api_keys=ranges), 3)).ranges == {3: (0, 0)}


def test_a_client_says_who_it_is() -> None:
    request = asked(to_request("0.1.0"), 3)
    assert (request.client_software_name, request.client_software_version) == ("kafka-nextgen", "0.1.0")
