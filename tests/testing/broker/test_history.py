"""What members state through sockets: it counts from clients of ours, and nobody else is listened to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_subscription
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import JoinReason, RebalanceReason
from kafka_nextgen.wire import apis
from tests.support.clients import unique
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.group_requests import sync

SUBSCRIPTION = encode_subscription(MemberSubscription(frozenset({"orders"})))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config={"group.initial.rebalance.delay.ms": 0}) as cluster:
        cluster.create_topic("orders", 2)
        yield cluster


def join(client: Client, group: str, member_id: str, version: int = 9, **fields: Any) -> Any:
    return client.ask(apis.JOIN_GROUP, join_request(group, SUBSCRIPTION, member_id=member_id, **fields), version)


def led(client: Client) -> tuple[str, str]:
    """A stable group of one, and its member."""
    group = unique("led")
    member_id = join(client, group, "").member_id
    joined = join(client, group, member_id, reason="subscribed")
    named = {"protocol_type": "consumer", "protocol_name": "range"}
    assert sync(client, group, joined.generation_id, member_id, version=5, **named).error_code == ErrorCode.NONE
    return group, member_id


@pytest.mark.parametrize("version", [6, 9])
def test_a_leader_of_ours_that_restarts_costs_no_rebalance(ours: Client, version: int) -> None:
    group, member_id = led(ours)
    back = join(ours, group, member_id, version, join_reason=JoinReason.RESTART)
    assert (back.generation_id, [member.member_id for member in back.members]) == (1, [member_id])
    assert back.skip_assignment is (version == 9)


def test_a_stock_client_with_our_tag_is_not_listened_to(client: Client) -> None:
    group, member_id = led(client)
    assert join(client, group, member_id, join_reason=JoinReason.RESTART).generation_id == 2


def test_a_reason_of_a_later_release_is_none(ours: Client) -> None:
    group, member_id = led(ours)
    assert join(ours, group, member_id, join_reason=99, reason="the future").generation_id == 2
    history = ours.ask(apis.CONSUMER_GROUP_HISTORY, group_id=group).rebalances
    assert [(told.reason, told.join_reason, told.text) for told in history] == [
        (RebalanceReason.MEMBER_JOINED, JoinReason.UNKNOWN, "subscribed"),
        (RebalanceReason.MEMBER_REQUESTED, JoinReason.UNKNOWN, "the future"),
    ]
    assert [(told.target_epoch, told.assignment_timestamp > 0) for told in history] == [(1, True), (-1, False)]


def test_a_group_that_is_none_has_no_history(ours: Client) -> None:
    for group, error in (("", ErrorCode.INVALID_GROUP_ID), ("nobody", ErrorCode.GROUP_ID_NOT_FOUND)):
        answer = ours.ask(apis.CONSUMER_GROUP_HISTORY, group_id=group)
        assert (answer.error_code, answer.rebalances) == (error, ())
