"""ConsumerGroupAnnounceLeaving: who is announced to leave, and what became of each."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.extensions.leaving import AnnouncedMember, AnnounceLeaving, LeavingAnnounced, NamedMember
from kafka_nextgen.requests.extensions.consumer_group_announce_leaving import from_response, to_request
from kafka_nextgen.testing.messages.extensions.consumer_group_announce_leaving import from_request, to_response
from kafka_nextgen.wire.apis import CONSUMER_GROUP_ANNOUNCE_LEAVING
from tests.requests.over_the_wire import answered, asked


def test_who_is_announced_arrives() -> None:
    request = AnnounceLeaving("g", (NamedMember(instance_id="i"), NamedMember("m")), 60_000)
    assert from_request(asked(to_request(request), 0)) == request


def test_what_became_of_each_arrives() -> None:
    results = (AnnouncedMember(instance_id="i"), AnnouncedMember("m", None, ErrorCode.UNKNOWN_MEMBER_ID, "it is gone"))
    for answer in (LeavingAnnounced(members=results), LeavingAnnounced(ErrorCode.NOT_COORDINATOR, "elsewhere")):
        assert from_response(answered(CONSUMER_GROUP_ANNOUNCE_LEAVING, to_response(answer), 0)) == answer
