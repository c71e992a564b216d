"""ConsumerGroupAddMembers: who is announced, and what became of each."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.adding import AddMembers, ExpectedMember, MembersAdded
from kafka_nextgen.requests.extensions.consumer_group_add_members import from_response, to_request
from kafka_nextgen.testing.messages.extensions.consumer_group_add_members import from_request, to_response
from kafka_nextgen.wire.apis import CONSUMER_GROUP_ADD_MEMBERS
from tests.requests.over_the_wire import answered, asked

EXPECTED = (ExpectedMember("i", 10_000, 20_000, "range"), ExpectedMember("j"))


def test_who_is_announced_arrives() -> None:
    request = AddMembers("g", EXPECTED, 60_000)
    assert from_request(asked(to_request(request), 0)) == request


def test_an_instance_named_twice_is_expected_on_its_last_terms() -> None:
    request = AddMembers("g", (ExpectedMember("i", 1), *EXPECTED), 60_000)
    assert from_request(asked(to_request(request), 0)).members == EXPECTED


def test_what_became_of_each_arrives() -> None:
    results = {"i": (ErrorCode.NONE, None), "j": (ErrorCode.GROUP_MAX_SIZE_REACHED, "full")}
    for answer in (MembersAdded(results=results), MembersAdded(ErrorCode.NOT_COORDINATOR, "elsewhere")):
        assert from_response(answered(CONSUMER_GROUP_ADD_MEMBERS, to_response(answer), 0)) == answer
