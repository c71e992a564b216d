"""Reading from the replica that a leader prefers (KIP-392), and going back to the leader whenever that fails."""

from __future__ import annotations

from uuid import UUID

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import DecodedPartition, Fetch, FetchSettings, FetchState, NeedMetadata, NeedOffsetReset
from kafka_nextgen.fetching.replicas import MAX_REDIRECTS
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, asked, cluster, columns, redirect

P0, P1, P2 = (TopicPartition("orders", number) for number in range(3))
LEADERS = {P0: 1, P1: 1, P2: 2}
LEASE_S = 300.0


@pytest.fixture
def world() -> World:
    """Node 1 leads orders[0-1], node 2 leads orders[2]; both have replicas of all. The log of P0 is read from 7 on."""
    world = World(FetchState(FetchSettings(OffsetReset.EARLIEST, replica_lease_s=LEASE_S)), cluster(LEADERS))
    world.start(P0, at=7)
    return world


def sent_on(world: World, to: int = 2) -> Fetch:
    """Have the leader send us on, and ask there."""
    world.answer(world.fetch(), redirect(P0, 7, to))
    return world.fetch()


def test_what_a_leader_prefers_is_read_at_once_and_from_then_on(world: World) -> None:
    fetch = sent_on(world)
    assert asked([fetch]) == [(2, 0, 7)]
    world.answer(fetch, columns(P0, 7, 3))
    assert asked(world.plan()) == [(2, 0, 10)]
    assert world.take() == [(0, 7), (0, 8), (0, 9)]


def test_a_fetch_goes_to_a_node_for_all_that_is_read_there(world: World) -> None:
    world.answer(world.fetch(), redirect(P0, 7, 2))
    world.assign(P0, P1, P2)
    world.state.seek(P1, 0)
    world.state.seek(P2, 0)
    assert sorted(asked(world.plan())) == [(1, 1, 0), (2, 0, 7), (2, 2, 0)]


def test_records_that_come_with_a_preference_are_not_lost(world: World) -> None:
    world.answer(world.fetch(), redirect(P0, 7, 2)._replace(columns=columns(P0, 7, 2)))
    assert world.take() == [(0, 7), (0, 8)]
    assert asked(world.plan()) == [(2, 0, 9)]


def test_a_preference_lasts_for_the_age_of_metadata_and_then_the_leader_is_asked(world: World) -> None:
    world.answer(sent_on(world), columns(P0, 7, 1))
    world.now += LEASE_S - 1
    fetch = world.fetch()
    assert asked([fetch]) == [(2, 0, 8)]
    world.now += 1
    assert world.plan() == [], "what is on its way to the follower is waited for"
    world.answer(fetch, columns(P0, 8, 1))
    assert asked(world.plan()) == [(1, 0, 9)]


def test_who_was_asked_counts_and_not_who_is_preferred_by_now(world: World) -> None:
    fetch = sent_on(world)
    world.now += LEASE_S
    world.image = cluster(LEADERS, epoch=6)
    assert world.plan() == []
    world.answer(fetch, DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    assert asked(world.plan()) == [(1, 0, 7)], "a follower's word is no reason to reset"


def test_a_preference_ends_with_the_leader_that_had_it(world: World) -> None:
    world.answer(sent_on(world), columns(P0, 7, 1))
    world.image = cluster(LEADERS, epoch=6)
    world.validate()
    assert asked(world.plan()) == [(1, 0, 8)]


@pytest.mark.parametrize(
    "image",
    [cluster(LEADERS, offline=(2,)), cluster({P0: 1, P1: 1})],
    ids=["its replica is offline", "the node is unknown"],
)
def test_a_preferred_replica_that_is_not_online_is_left_once_the_metadata_is_new(
    world: World, image: ClusterImage
) -> None:
    world.answer(sent_on(world), columns(P0, 7, 1))
    world.image = image
    world.refresh()
    assert asked(world.plan()) == [(1, 0, 8)]


def test_a_node_without_a_replica_is_not_asked_even_if_the_leader_names_it(world: World) -> None:
    world.answer(world.fetch(), redirect(P0, 7, 3))
    world.refresh()
    assert asked(world.plan()) == [(1, 0, 7)]


@pytest.mark.parametrize(
    "result",
    [
        *(
            DecodedPartition(P0, code)
            for code in (
                ErrorCode.OFFSET_OUT_OF_RANGE,
                ErrorCode.OFFSET_NOT_AVAILABLE,
                ErrorCode.UNKNOWN_LEADER_EPOCH,
                ErrorCode.UNKNOWN_SERVER_ERROR,
                ErrorCode.CORRUPT_MESSAGE,
                ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            )
        ),
        DecodedPartition(P0, corrupt=CorruptRecordError("bad", P0, 7)),
    ],
    ids=lambda result: str(ErrorCode(result.error).name if result.error else "broken records"),
)
def test_an_error_of_a_follower_makes_no_difference_but_that_the_leader_is_asked(
    world: World, result: DecodedPartition
) -> None:
    world.answer(sent_on(world), result)
    assert not world.state.handover.has_records()
    assert asked(world.plan()) == [(1, 0, 7)]


@pytest.mark.parametrize("code", [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_ID])
def test_a_follower_that_is_none_makes_the_metadata_be_asked_for_too(world: World, code: int) -> None:
    world.answer(sent_on(world), DecodedPartition(P0, code))
    world.refresh()
    assert asked(world.plan()) == [(1, 0, 7)]


def test_a_follower_that_can_not_be_reached_is_left(world: World) -> None:
    world.state.results.failed(sent_on(world), world.now)
    world.refresh()
    world.now += 0.1
    assert asked(world.plan()) == [(1, 0, 7)]


def test_an_offset_is_out_of_range_when_the_leader_says_so_and_is_looked_up_there(world: World) -> None:
    world.answer(sent_on(world), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    need = world.only(NeedOffsetReset)
    assert (need.node_id, set(need.questions)) == (1, {P0})


def test_an_offset_is_looked_up_at_the_leader_also_while_another_replica_is_read(world: World) -> None:
    sent_on(world)
    world.state.seek_to([P0], OffsetReset.LATEST)
    assert world.only(NeedOffsetReset).node_id == 1


def test_a_topic_made_again_begins_at_its_leader(world: World) -> None:
    world.answer(sent_on(world), columns(P0, 7, 1))
    world.image = cluster(LEADERS, UUID(int=2))
    world.state.results.reset_found(world.only(NeedOffsetReset), {P0: ListedOffset(0)}, world.now)
    assert asked(world.plan()) == [(1, 0, 0)]


# Leaders that send us nowhere.


@pytest.mark.parametrize("to", [1, 2, 3], ids=["to itself", "to one that fails", "to one that is not there"])
def test_a_leader_that_leads_us_astray_is_not_told_the_rack_any_more(world: World, to: int) -> None:
    told = []
    for _ in range(100):
        for need in world.plan():
            if isinstance(need, NeedMetadata):
                world.state.results.metadata_refreshed(need, world.now)
            elif isinstance(need, Fetch) and need.node_id == 1:
                told.append(need.sends_rack)
                result = redirect(P0, 7, to) if need.sends_rack else None
                world.answer(need, result or columns(P0, 7, 1))
            elif isinstance(need, Fetch):
                world.answer(need, DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR))
        if world.state.handover.has_records():
            break
        world.now += 0.01
    assert world.take() == [(0, 7)]
    assert told == [True] * (MAX_REDIRECTS + 1) + [False]


def astray(world: World) -> None:
    """Have the leader send us on until it is not told the rack."""
    for _ in range(MAX_REDIRECTS):
        world.answer(sent_on(world), DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR))
    assert world.state.results.fetched(world.fetch(), [redirect(P0, 7, 2)], world.now) == (P0,), "to be told of"
    world.now += 0.1


def test_the_rack_is_withheld_as_long_as_a_preference_lasts_even_for_others_of_that_leader(world: World) -> None:
    astray(world)
    world.assign(P0, P1, P2)
    world.state.seek(P1, 0)
    world.state.seek(P2, 0)
    fetches = {fetch.node_id: fetch for fetch in world.plan() if isinstance(fetch, Fetch)}
    assert {node_id: fetch.sends_rack for node_id, fetch in fetches.items()} == {1: False, 2: True}
    world.answer(fetches[1], columns(P0, 7, 1))
    world.now += LEASE_S
    (fetch,) = [need for need in world.plan() if isinstance(need, Fetch)]
    assert (fetch.node_id, fetch.sends_rack) == (1, True)
    world.answer(fetch, redirect(P0, 8, 2))
    world.answer(fetches[2])
    assert (2, 0, 8) in asked(world.plan()), "followed again"


def test_whoever_is_sent_on_even_without_a_rack_goes_there_and_does_not_flood_the_leader(world: World) -> None:
    nodes = []
    for _ in range(1000):
        for need in world.plan():
            if isinstance(need, NeedMetadata):
                world.state.results.metadata_refreshed(need, world.now)
                continue
            assert isinstance(need, Fetch)
            nodes.append(need.node_id)
            refusal = DecodedPartition(P0, ErrorCode.UNKNOWN_SERVER_ERROR)
            world.answer(need, redirect(P0, 7, 2) if need.node_id == 1 else refusal)
        world.now += 0.01
    assert nodes.count(2) > MAX_REDIRECTS, "there may be no other way to the records"
    assert len(nodes) < 40, "in 10 seconds"
    assert world.state.planning.silence_s(world.now)[P0] > 9.9


def test_to_be_sent_on_is_no_sign_of_life_and_to_hear_that_there_is_nothing_new_is(world: World) -> None:
    fetch = world.fetch()
    began = world.now
    world.now += 10
    world.answer(fetch, redirect(P0, 7, 2))
    assert world.state.planning.silence_s(world.now) == {P0: world.now - began}
    world.answer(world.fetch(), Columns(P0, 7))
    assert world.state.planning.silence_s(world.now) == {P0: 0.0}


def test_a_leader_that_sends_us_on_tells_where_its_log_ends(world: World) -> None:
    world.answer(world.fetch(), redirect(P0, 7, 2)._replace(high_watermark=99))
    assert world.state.progress().partitions[P0].lag == 92
