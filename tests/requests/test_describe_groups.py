"""DescribeGroups: a classic group as it is shown."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.described import (
    DescribedClassicGroup,
    DescribedClassicMember,
    DescribedLeaver,
    ExpectedInstance,
    GroupsDescribed,
)
from kafka_nextgen.requests import describe_groups
from kafka_nextgen.requests.extensions import describe_groups as extended
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.testing.messages import describe_groups as broker_describe_groups
from kafka_nextgen.testing.messages.extensions import describe_groups as broker_extended
from kafka_nextgen.wire.apis import DESCRIBE_GROUPS
from tests.requests.over_the_wire import answered, asked


@pytest.mark.parametrize("version", range(7))
def test_groups_are_described_and_one_that_is_not_there_is_an_error_in_every_version(version: int) -> None:
    message = asked(describe_groups.to_request(["g", "h", "g"]), version)
    assert broker_describe_groups.from_request(message) == DescribeGroups(("g", "h"))
    member = DescribedClassicMember("m", "i" if version >= 4 else None, "c", "/h", b"said", b"got")
    there = DescribedClassicGroup(
        "g", state="Stable", protocol_type="consumer", protocol_name="range", members=(member,)
    )
    missing = DescribedClassicGroup("h", ErrorCode.GROUP_ID_NOT_FOUND, "none")
    written = broker_describe_groups.to_response(GroupsDescribed((there, missing)), version)
    told = answered(DESCRIBE_GROUPS, written, version)
    one, other = told.groups
    assert (one.group_state, one.protocol_type, one.protocol_data) == ("Stable", "consumer", "range")
    assert (bytes(one.members[0].member_metadata), bytes(one.members[0].member_assignment)) == (b"said", b"got")
    error = ErrorCode.GROUP_ID_NOT_FOUND if version >= 6 else ErrorCode.NONE
    assert (other.error_code, other.group_state, other.members) == (error, "Dead", ())
    read = describe_groups.from_response(told, ["g", "h"])
    assert (read.groups[0], read.groups[1].error) == (there, ErrorCode.GROUP_ID_NOT_FOUND)
    with pytest.raises(DecodeError, match="the response to DescribeGroups lacks i"):
        describe_groups.from_response(told, ["g", "i"])


@pytest.mark.parametrize(("version", "is_told"), [(4, False), (5, True), (6, True)])
def test_who_is_expected_is_told_to_those_who_can_use_it(version: int, is_told: bool) -> None:
    expected = (ExpectedInstance("i", 5, has_joined=True),)
    leaving = (DescribedLeaver("m", "j", 6, has_left=True), DescribedLeaver("n", None, 7))
    answer = GroupsDescribed((DescribedClassicGroup("g", state="Stable", expected=expected, leaving=leaving),))
    for with_extensions in (False, True):
        message = broker_extended.to_response(answer, version, with_extensions=with_extensions)
        (told,) = extended.from_response(answered(DESCRIBE_GROUPS, message, version), ["g"]).groups
        assert told.expected == (expected if is_told and with_extensions else ())
        assert told.leaving == (leaving if is_told and with_extensions else ())
