"""ConsumerGroupDescribe: a group as it is shown."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.described import (
    ConsumerGroupDescribed,
    DescribedGroup,
    DescribedLeaver,
    DescribedMember,
    ExpectedInstance,
)
from kafka_nextgen.requests.consumer_group_describe import to_request
from kafka_nextgen.requests.extensions.consumer_group_describe import from_response
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe
from kafka_nextgen.testing.messages.consumer_group_describe import from_request
from kafka_nextgen.testing.messages.extensions.consumer_group_describe import to_response
from kafka_nextgen.wire.apis import CONSUMER_GROUP_DESCRIBE
from tests.requests.over_the_wire import AUDIT, GONE, ORDERS, TOPICS, answered, asked, by_id

MEMBER = DescribedMember(
    member_id="m",
    instance_id=None,
    rack_id="r",
    member_epoch=3,
    client_id="me",
    client_host="/127.0.0.1",
    subscribed_topics=("audit", "orders"),
    subscribed_pattern=None,
    assignment=by_id(ORDERS, 0, 1),
    target=by_id(ORDERS, 0) | by_id(AUDIT, 0),
)
GROUP = DescribedGroup(
    group_id="g", state="Reconciling", group_epoch=4, assignment_epoch=4, assignor="uniform", members=(MEMBER,)
)


def shown(*groups: DescribedGroup, version: int = 1) -> tuple[DescribedGroup, ...]:
    message = to_response(ConsumerGroupDescribed(groups), TOPICS)
    return from_response(
        answered(CONSUMER_GROUP_DESCRIBE, message, version), [group.group_id for group in message.groups]
    ).groups


def test_groups_are_asked_for_in_order() -> None:
    assert from_request(asked(to_request(["b", "a"]), 1)) == ConsumerGroupDescribe(("b", "a"))


def test_a_group_is_shown_as_it_is_and_since_version_1_a_member_with_its_protocol() -> None:
    mixed = evolve(GROUP, members=(MEMBER, evolve(MEMBER, member_id="n", is_classic=True)))
    assert shown(mixed) == (mixed,)
    assert shown(mixed, version=0) == (evolve(mixed, members=(MEMBER, evolve(MEMBER, member_id="n"))),)


TOLD = evolve(
    GROUP,
    members=(
        evolve(
            MEMBER,
            client_assignors=(ClientAssignor("weighted", 0, 2, reason=1, metadata=Metadata(2, b"x")),),
            assignment_error=7,
            assignment_metadata=Metadata(1, b""),
        ),
    ),
    expected=(ExpectedInstance("i", 1_700_000_000_000, has_joined=True), ExpectedInstance("j", 5)),
    leaving=(DescribedLeaver("m", "k", 6, has_left=True), DescribedLeaver("n", None, 7)),
)


def test_what_kafka_never_shipped_is_shown_to_those_who_can_use_it() -> None:
    message = to_response(ConsumerGroupDescribed((TOLD,)), TOPICS, with_extensions=True)
    assert from_response(
        answered(CONSUMER_GROUP_DESCRIBE, message, 1), [group.group_id for group in message.groups]
    ).groups == (TOLD,)
    assert shown(TOLD) == (GROUP,)


def test_a_group_that_is_not_there_is_an_error_and_one_that_is_left_out_no_answer() -> None:
    missing = DescribedGroup("x", ErrorCode.GROUP_ID_NOT_FOUND, "no such group")
    assert shown(missing, GROUP) == (missing, GROUP)
    message = to_response(ConsumerGroupDescribed((GROUP,)), TOPICS)
    with pytest.raises(DecodeError, match="the response to ConsumerGroupDescribe lacks other"):
        from_response(answered(CONSUMER_GROUP_DESCRIBE, message, 1), [GROUP.group_id, "other"])
    unknown = message.replaced(groups=[message.groups[0].replaced(error_code=999)])
    answer = from_response(answered(CONSUMER_GROUP_DESCRIBE, unknown, 1), [GROUP.group_id])
    assert answer.groups[0].error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_topics_are_told_with_their_names_and_one_without_a_name_is_left_out() -> None:
    stale = evolve(MEMBER, assignment=by_id(GONE, 0) | by_id(ORDERS, 1))
    message = to_response(ConsumerGroupDescribed((evolve(GROUP, members=(stale,)),)), TOPICS)
    (topic,) = answered(CONSUMER_GROUP_DESCRIBE, message, 1).groups[0].members[0].assignment.topic_partitions
    assert (topic.topic_id, topic.topic_name, topic.partitions) == (ORDERS, "orders", (1,))
