"""The table of APIs, and the choice of a version."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import APIS, negotiate


def test_an_api_has_the_messages_of_its_key_and_name_and_a_range_inside_of_theirs() -> None:
    for api in APIS.values():
        assert {api.request.API_KEY, api.response.API_KEY} == {api.key}
        assert [api.request.__name__, api.response.__name__] == [f"{api.name}Request", f"{api.name}Response"]
        for message in (api.request, api.response):
            lowest, highest = message.VERSIONS
            assert lowest <= api.min_version <= api.max_version <= highest


@pytest.mark.parametrize(
    ("theirs", "chosen"),
    [
        pytest.param((0, 99), 17, id="a newer broker"),
        pytest.param((0, 12), 12, id="an older broker"),
        pytest.param((17, 18), 17, id="one version in common"),
        pytest.param((2, 4), 4, id="our lowest"),
    ],
)
def test_the_highest_common_version_is_chosen(theirs: tuple[int, int], chosen: int) -> None:
    assert negotiate(apis.FETCH, {apis.FETCH.key: theirs}) == chosen


def test_our_side_can_be_capped() -> None:
    assert negotiate(apis.OFFSET_COMMIT, {apis.OFFSET_COMMIT.key: (2, 10)}, at_most=9) == 9


@pytest.mark.parametrize("theirs", [(0, 3), (18, 20)])
def test_without_a_common_version_the_error_tells_both_ranges(theirs: tuple[int, int]) -> None:
    with pytest.raises(UnsupportedProtocolError, match=rf"Fetch {theirs[0]} to {theirs[1]}.*4 to 17"):
        negotiate(apis.FETCH, {apis.FETCH.key: theirs})


def test_a_broker_that_lacks_the_version_a_call_needs_is_told_from_others() -> None:
    """Members are removed by a LeaveGroup with a list of them (KIP-345)."""
    removal = apis.LEAVE_GROUP.at_least(3)
    assert negotiate(removal, {removal.key: (0, 3)}) == 3
    with pytest.raises(UnsupportedProtocolError, match=r"LeaveGroup 0 to 2.*3 to 5"):
        negotiate(removal, {removal.key: (0, 2)})


def test_a_broker_without_the_consumer_protocol_is_named_with_the_way_out() -> None:
    with pytest.raises(UnsupportedProtocolError, match=r"group\.protocol=classic") as raised:
        negotiate(apis.CONSUMER_GROUP_HEARTBEAT, {apis.METADATA.key: (0, 12)})
    assert raised.value.code == 35


def test_another_missing_api_is_named() -> None:
    with pytest.raises(UnsupportedProtocolError, match="no DeleteGroups API"):
        negotiate(apis.DELETE_GROUPS, {})
