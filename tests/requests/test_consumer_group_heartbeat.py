"""ConsumerGroupHeartbeat: what a member says is what the coordinator hears, null and empty kept apart."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError, UnsupportedProtocolError
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatRefused
from kafka_nextgen.requests.consumer_group_heartbeat import to_event, to_request
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.messages.consumer_group_heartbeat import from_request, to_response
from kafka_nextgen.types import TopicId, TopicIdPartition
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions
from tests.requests.over_the_wire import AUDIT, GONE, ORDERS, answered, asked, by_id

Assignment = ConsumerGroupHeartbeatResponse.Assignment


def heard(effect: SendHeartbeat, version: int = 1) -> ConsumerGroupHeartbeat:
    return from_request(asked(to_request(effect, "g", version), version), "me", "/127.0.0.1")


def told(answer: ConsumerGroupHeartbeatAnswer) -> HeartbeatAnswered | HeartbeatRefused:
    return to_event(7, answered(CONSUMER_GROUP_HEARTBEAT, to_response(answer), 1))


def test_a_join_says_everything() -> None:
    join = SendHeartbeat(
        number=1,
        member_id="m",
        member_epoch=0,
        instance_id="i",
        rack_id="r",
        rebalance_timeout_ms=300_000,
        subscribed_topics=("orders", "audit"),
        subscribed_pattern="o.*",
        server_assignor="range",
        owned=frozenset(),
    )
    assert heard(join) == ConsumerGroupHeartbeat(
        group_id="g",
        member_id="m",
        member_epoch=0,
        instance_id="i",
        rack_id="r",
        rebalance_timeout_ms=300_000,
        subscribed_topics=frozenset({"orders", "audit"}),
        subscribed_pattern="o.*",
        server_assignor="range",
        owned=frozenset(),
        client_id="me",
        client_host="/127.0.0.1",
        version=1,
    )


def test_an_unchanged_heartbeat_says_nothing() -> None:
    assert heard(SendHeartbeat(number=1, member_id="m", member_epoch=4)) == ConsumerGroupHeartbeat(
        group_id="g", member_id="m", member_epoch=4, client_id="me", client_host="/127.0.0.1"
    )


topic_ids = st.sampled_from([ORDERS, AUDIT, GONE])
partition_sets = st.frozensets(st.builds(TopicIdPartition, topic_ids, st.integers(0, 9)))


@given(
    names=st.none() | st.lists(st.text(max_size=3), max_size=2).map(tuple),
    pattern=st.none() | st.text(max_size=3),
    assignor=st.none() | st.text(max_size=3),
    owned=st.none() | partition_sets,
)
def test_null_stays_null_and_empty_stays_empty(
    names: tuple[str, ...] | None,
    pattern: str | None,
    assignor: str | None,
    owned: frozenset[TopicIdPartition] | None,
) -> None:
    request = heard(
        SendHeartbeat(
            number=1,
            member_id="m",
            member_epoch=4,
            subscribed_topics=names,
            subscribed_pattern=pattern,
            server_assignor=assignor,
            owned=owned,
        )
    )
    assert request.subscribed_topics == (None if names is None else frozenset(names))
    assert (request.subscribed_pattern, request.server_assignor, request.owned) == (pattern, assignor, owned)


def test_a_pattern_needs_version_1_but_giving_one_up_does_not() -> None:
    effect = SendHeartbeat(number=1, member_id="m", member_epoch=0, subscribed_pattern="o.*")
    with pytest.raises(UnsupportedProtocolError, match="does not support pattern subscriptions"):
        to_request(effect, "g", 0)
    for pattern in (None, ""):
        assert heard(evolve(effect, subscribed_pattern=pattern), version=0).subscribed_pattern is None


@pytest.mark.parametrize(
    ("version", "epoch", "member_id", "said"),
    [
        (0, 0, "own", ""),  # the coordinator makes the id
        (0, 0, "given", "given"),  # and that one is kept
        (0, -1, "own", "own"),  # only a join can be without one
        (1, 0, "own", "own"),
    ],
)
def test_an_id_made_here_is_left_out_of_a_join_in_version_0(
    version: int, epoch: int, member_id: str, said: str
) -> None:
    effect = SendHeartbeat(number=1, member_id=member_id, member_epoch=epoch)
    assert to_request(effect, "g", version, own_member_id="own").member_id == said


def test_a_member_without_an_id_is_given_one() -> None:
    message = asked(to_request(SendHeartbeat(number=1, member_id="", member_epoch=0), "g", 0), 0)
    request = from_request(message, "me", "/127.0.0.1", new_member_id="made-here")
    assert (request.member_id, request.new_member_id, request.version) == ("", "made-here", 0)


@given(st.none() | partition_sets)
def test_an_assignment_arrives_and_null_means_unchanged(assignment: frozenset[TopicIdPartition] | None) -> None:
    answer = ConsumerGroupHeartbeatAnswer(
        member_id="m", member_epoch=5, heartbeat_interval_ms=5000, assignment=assignment
    )
    assert told(answer) == HeartbeatAnswered(7, "m", 5, 5000, assignment)


def test_an_error_arrives_with_its_words() -> None:
    refusal = ConsumerGroupHeartbeatAnswer(error=ErrorCode.FENCED_MEMBER_EPOCH, message="epoch 3, not 4")
    assert told(refusal) == HeartbeatRefused(7, ErrorCode.FENCED_MEMBER_EPOCH, "epoch 3, not 4")


@pytest.mark.parametrize("epoch", [-1, -2, 1])
@pytest.mark.parametrize("interval_ms", [-5, 0, 5000, 2**31 - 1])
def test_an_answer_to_a_leave_echoes_its_epoch_and_any_interval_is_for_the_member_to_limit(
    epoch: int, interval_ms: int
) -> None:
    answer = ConsumerGroupHeartbeatAnswer(member_id="m", member_epoch=epoch, heartbeat_interval_ms=interval_ms)
    assert told(answer) == HeartbeatAnswered(7, "m", epoch, interval_ms, None)


def test_an_epoch_no_coordinator_gives_is_refused() -> None:
    with pytest.raises(DecodeError, match="member epoch -3"):
        told(ConsumerGroupHeartbeatAnswer(member_epoch=-3))


@pytest.mark.parametrize(
    ("told", "assignment"),
    [((ORDERS, -1), None), ((None, 0), None), ((ORDERS, 1), by_id(ORDERS, 1))],
    ids=["a negative partition", "a topic without an id", "a partition twice"],
)
def test_a_partition_that_cannot_be_is_refused_and_one_that_comes_twice_is_assigned_once(
    told: tuple[TopicId | None, int], assignment: frozenset[TopicIdPartition] | None
) -> None:
    topic_id, partition = told
    twice = Assignment(topic_partitions=[TopicPartitions(topic_id=topic_id, partitions=[partition] * 2)] * 2)
    message = answered(CONSUMER_GROUP_HEARTBEAT, ConsumerGroupHeartbeatResponse(member_epoch=1, assignment=twice), 1)
    if assignment is None:
        with pytest.raises(DecodeError, match="there is no partition"):
            to_event(7, message)
    else:
        event = to_event(7, message)
        assert isinstance(event, HeartbeatAnswered)
        assert event.assignment == assignment
