"""ApiVersions: what a broker says it speaks."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.bridge.api_versions import BrokerVersions, from_response, to_request, to_response
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import API_VERSIONS
from kafka_nextgen.wire.messages import ApiVersionsResponse
from tests.bridge.over_the_wire import answered, asked

SUPPORTED = {"group.version": (0, 1), "metadata.version": (7, 30)}
SPOKEN = BrokerVersions(ranges={3: (0, 13), 68: (0, 1)}, features={"group.version": 1}, supported=SUPPORTED)


def test_ranges_and_features_arrive() -> None:
    assert from_response(answered(API_VERSIONS, to_response(SPOKEN), 4)) == SPOKEN


def test_before_version_4_nobody_is_told_of_features_that_can_be_off() -> None:
    told = from_response(answered(API_VERSIONS, to_response(SPOKEN, 3), 3))
    assert told == evolve(SPOKEN, supported={"metadata.version": (7, 30)})


def test_old_versions_know_no_features() -> None:
    assert from_response(answered(API_VERSIONS, to_response(SPOKEN), 2)).features == {}


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
